import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Extra } from './progress.ts';

/** A person may take a while. */
const ANSWER_MS = 10 * 60_000;

interface Price {
  tool: string;
  images: number;
  balanceAfter: number;
}

/**
 * Asks whoever sits at the client whether an edit may cost this much. A client that cannot ask has to repeat the call
 * with `confirm_images`, after its assistant has asked.
 * @throws when the answer is not yes
 */
export async function confirmPrice(
  server: Server,
  price: Price,
  { confirmImages, extra }: { confirmImages: number | undefined; extra: Extra },
): Promise<void> {
  const { images, tool, balanceAfter } = price;
  if (server.getClientCapabilities()?.elicitation?.form === undefined) {
    if (confirmImages === images) return;
    throw new Error(
      `This edit costs ${images} images and leaves ${balanceAfter}. Nothing was charged. ` +
        `Ask the user; if they agree, repeat the call with confirm_images: ${images}.`,
    );
  }
  const { action, content } = await server.elicitInput(
    {
      message: `${tool} costs ${images} images for this photo, and leaves ${balanceAfter}. Go on?`,
      requestedSchema: {
        type: 'object',
        properties: { confirm: { type: 'boolean', title: `Spend ${images} images` } },
        required: ['confirm'],
      },
    },
    { relatedRequestId: extra.requestId, signal: extra.signal, timeout: ANSWER_MS },
  );
  if (action !== 'accept' || content?.confirm !== true)
    throw new Error(`The user did not agree to spend ${images} images. Nothing was charged.`);
}
