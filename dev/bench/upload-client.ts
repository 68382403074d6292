import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** One POST of a file. */
export interface Upload {
  url: string;
  headers: Record<string, string>;
  file: string;
  as: 'form' | 'base64';
}

export interface Uploaded {
  status: number;
  /** From the file on disk to the end of the response. */
  ms: number;
  /** Peak RSS of the process so far minus the RSS before. */
  extraRssBytes: number;
}

const TOOL = 'declutter';

/** A client in a process of its own, which uploads a file for each message, as one would write it with `fetch`. */
process.on('message', async (upload: Upload) => {
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  const status = await send(upload);
  const ms = performance.now() - startedAt;
  const extraRssBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - before);
  process.send?.({ status, ms, extraRssBytes } satisfies Uploaded);
});
process.send?.('ready');

async function send({ url, headers, file, as }: Upload): Promise<number> {
  const { status, body } = await fetch(url, { method: 'POST', ...(await bodies[as](file, headers)) });
  await body?.cancel();
  return status;
}

const bodies = {
  async base64(file: string, headers: Record<string, string>) {
    const image_base64 = (await readFile(file)).toString('base64');
    return {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ tool: TOOL, image_base64 }),
    };
  },
  async form(file: string, headers: Record<string, string>) {
    const body = new FormData();
    body.set('job', JSON.stringify({ tool: TOOL }));
    body.set('image', await openAsBlob(file, { type: 'image/jpeg' }), 'room.jpg');
    return { headers, body };
  },
};
