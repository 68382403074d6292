import { Readable } from 'node:stream';
import type { Attacker } from './attacker.ts';
import type { HostileRequest } from './forms.ts';
import { EXPENSIVE, HONEST, type Images, REFUSED } from './hostile-images.ts';
import { hostileRequests } from './requests.ts';
import { SOURCES, type Source } from './sources.ts';

/** One input, designed to be as expensive as possible. */
export interface Attack {
  name: string;
  /** Builds the body, which may take a while. */
  prepare(): Promise<unknown>;
  /** Sends it once and waits for the outcome. @returns the error code, or the status of the job */
  send(attacker: Attacker): Promise<string>;
}

/** The tool with the largest result. */
const TOOL = 'image-upscaling';

/** All attacks; their bodies are built on demand. @param sources origin of the servers of {@link SOURCES} */
export function attacks(sources: string): Attack[] {
  return [
    ...images('honest', HONEST),
    ...images('expensive', EXPENSIVE),
    ...images('refused', REFUSED),
    ...hostileRequests().map(requestAttack),
    ...SOURCES.map((source) => sourceAttack(sources, source)),
  ];
}

function sourceAttack(origin: string, { name, path }: Source): Attack {
  const body = JSON.stringify({ tool: TOOL, image_url: `${origin}${path}` });
  return { name, prepare: async () => {}, send: (attacker) => attacker.post(body) };
}

function images(kind: string, corpus: Images): Attack[] {
  return Object.entries(corpus).map(([name, make]) => {
    const body = once(async () =>
      Buffer.from(JSON.stringify({ tool: TOOL, image_base64: (await make()).toString('base64') })),
    );
    return { name: `${kind}: ${name}`, prepare: body, send: async (attacker) => attacker.post(await body()) };
  });
}

function requestAttack({ name, method, target, headers, body, chunked }: HostileRequest): Attack {
  const build = once(async () => body?.());
  return {
    name,
    prepare: build,
    async send({ apiKey, request }) {
      const bytes = await build();
      const payload =
        bytes === undefined || chunked === undefined
          ? bytes
          : Readable.from(inChunks(bytes, chunked), { objectMode: false });
      const response = await request({
        path: target,
        method,
        headers: { 'x-api-key': apiKey, 'x-forwarded-for': '10.9.9.9', ...headers },
        ...(payload === undefined ? {} : { body: payload }),
      }).catch(() => undefined);
      await response?.body.dump();
      return response === undefined ? 'cut off' : String(response.statusCode);
    },
  };
}

/** Builds a body once, on first use. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
