import { Readable } from 'node:stream';
import type { Attacker } from './attacker.ts';
import { DEAR, HONEST, type Pictures, REFUSED } from './pictures.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';
import { SOURCES, type Source } from './sources.ts';

/** One input that costs as much as it can. */
export interface Attack {
  name: string;
  /** Builds its body, which may take a while. */
  prepare(): Promise<unknown>;
  /** Sends it once and waits for what it comes to. @returns the error's code, or how the job ended */
  send(attacker: Attacker): Promise<string>;
}

/** The tool whose result is largest. */
const TOOL = 'image-upscaling';

/** The corpus, its bodies made one at a time. @param sources origin of the servers of {@link SOURCES} */
export function attacks(sources: string): Attack[] {
  return [
    ...pictures('honest', HONEST),
    ...pictures('dear', DEAR),
    ...pictures('refused', REFUSED),
    ...hostileRequests().map(requestAttack),
    ...SOURCES.map((source) => sourceAttack(sources, source)),
  ];
}

function sourceAttack(origin: string, { name, path }: Source): Attack {
  const body = JSON.stringify({ tool: TOOL, image_url: `${origin}${path}` });
  return { name, prepare: async () => {}, send: (attacker) => attacker.post(body) };
}

function pictures(kind: string, corpus: Pictures): Attack[] {
  return Object.entries(corpus).map(([name, make]) => {
    const body = once(async () =>
      Buffer.from(JSON.stringify({ tool: TOOL, image_base64: (await make()).toString('base64') })),
    );
    return { name: `${kind}: ${name}`, prepare: body, send: async (attacker) => attacker.post(await body()) };
  });
}

function requestAttack({ name, method, target, headers, body, chunked }: HostileRequest): Attack {
  const made = once(async () => body?.());
  return {
    name,
    prepare: made,
    async send({ apiKey, request }) {
      const bytes = await made();
      const sent =
        bytes === undefined || chunked === undefined
          ? bytes
          : Readable.from(inChunks(bytes, chunked), { objectMode: false });
      const answer = await request({
        path: target,
        method,
        headers: { 'x-api-key': apiKey, 'x-forwarded-for': '10.9.9.9', ...headers },
        ...(sent === undefined ? {} : { body: sent }),
      }).catch(() => undefined);
      await answer?.body.dump();
      return answer === undefined ? 'cut off' : String(answer.statusCode);
    },
  };
}

/** Of each attack only one body is held, and only while it goes on. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
