import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Extra } from './progress.ts';

/** How long a person may think. */
const ANSWER_MS = 10 * 60_000;

interface Price {
  tool: string;
  images: number;
  /** Null if the key may not see it. */
  balanceAfter: number | null;
}

/**
 * Asks the user of the client whether an edit may cost this much. A client that cannot ask has to
 * repeat the call with `confirm_images`, after its assistant has asked.
 * @throws when the answer is not yes
 */
export async function confirmPrice(
  server: Server,
  price: Price,
  { confirmImages, extra }: { confirmImages: number | undefined; extra: Extra },
): Promise<void> {
  const { images, tool, balanceAfter } = price;
  const leaves = (joint: string) => (balanceAfter === null ? '' : `${joint} leaves ${balanceAfter}`);
  if (!canAsk(server)) {
    if (confirmImages === images) return;
    throw new Error(
      `This edit costs ${images} images${leaves(' and')}. Nothing was charged. ` +
        `Ask the user; if they agree, repeat the call with confirm_images: ${images}.`,
    );
  }
  const message = `${tool} costs ${images} images for this photo${leaves(', and')}. Go on?`;
  if (!(await ask(server, { message, title: `Spend ${images} images` }, extra)))
    throw new Error(`The user did not agree to spend ${images} images. Nothing was charged.`);
}

/** Whether the client can show its user a question. */
export const canAsk = (server: Server): boolean =>
  server.getClientCapabilities()?.elicitation?.form !== undefined;

/**
 * Asks the user of the client. `title` names the effect of a yes.
 * @returns whether the answer is yes
 */
export async function ask(
  server: Server,
  { message, title }: { message: string; title: string },
  extra: Extra,
): Promise<boolean> {
  const { action, content } = await server.elicitInput(
    {
      message,
      requestedSchema: {
        type: 'object',
        properties: { confirm: { type: 'boolean', title } },
        required: ['confirm'],
      },
    },
    { relatedRequestId: extra.requestId, signal: extra.signal, timeout: ANSWER_MS },
  );
  return action === 'accept' && content?.confirm === true;
}
