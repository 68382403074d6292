import type { IncomingMessage, ServerResponse } from 'node:http';
import { createEgress } from '../../../../lib/egress/egress.ts';
import type { UpstreamGenerator, UpstreamRender, UpstreamRequest } from '../../../../lib/generators/port.ts';
import type { UpstreamTiming } from '../../../../lib/generators/upstream/client.ts';
import { sampleJpeg } from '../../../setup/images.ts';
import { type Served, serveHttp } from '../../egress/servers.ts';

/**
 * What a fake upstream does with a request: a status with JSON, bytes, or whatever it does to the
 * socket.
 */
export type Reply =
  | { status: number; json?: unknown; bytes?: Buffer; headers?: Record<string, string> }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface FakeServer extends Served {
  seen: Seen[];
}

/** A loopback server that records every request before it replies to it. */
export async function serve(reply: (seen: Seen) => Reply): Promise<FakeServer> {
  const seen: Seen[] = [];
  const server = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks) };
    seen.push(one);
    send(reply(one), request, response);
  });
  return Object.assign(server, { seen });
}

function send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (typeof reply === 'function') {
    reply(request, response);
    return;
  }
  const body = reply.bytes ?? Buffer.from(JSON.stringify(reply.json ?? {}));
  response.writeHead(reply.status, { 'content-length': String(body.length), ...reply.headers });
  response.end(body);
}

export const QUICK_TIMING: UpstreamTiming = { pollMs: 5, shortMs: 400, longMs: 400, downloadMs: 400 };
export const SECRET = 'sk-secret-0123456789';

/** The server of one upstream. Replies may be replaced while it runs. */
export interface FakeUpstream extends AsyncDisposable {
  server: FakeServer;
  /** Replies, by the step of a render. */
  replies: { submit: Reply; poll: Reply; result: Reply; cancel?: Reply };
  /** Makes it return this image. */
  returns(image: Buffer): void;
  /** Predictions begin, and do not end before `release`. */
  hold(): void;
  release(): void;
  submissions(): number;
  cancellations(): number;
  /** Counts anew. */
  clear(): void;
}

type Step = 'submit' | 'poll' | 'cancel' | 'result';

export interface FakeOptions {
  replies: (origins: { server: string; results: string; image: Buffer }) => FakeUpstream['replies'];
  /** The step that a request to the upstream's origin belongs to. */
  stepOf: (seen: Seen) => Step | Reply;
  /** The reply to a request while a prediction runs, where it differs. */
  whileRunning: (seen: Seen, step: Step | Reply) => Reply | undefined;
  create: (baseUrl: string, egress: ReturnType<typeof createEgress>) => UpstreamGenerator;
  /** The variables with which a renderer uses the fake. */
  env: (baseUrl: string) => Record<string, string>;
}

/** Never replies, as an upstream that returns the image itself while it renders. */
export const HANGS: Reply = () => {};

/**
 * By default it serves results as well: a renderer calls no other origin on loopback than the
 * configured one.
 */
export async function startUpstream(
  { replies: makeReplies, stepOf, whileRunning }: Omit<FakeOptions, 'create'>,
  resultsOrigin?: string,
): Promise<FakeUpstream> {
  const counts = { submit: 0, cancel: 0 };
  let isHeld = false;
  const server = await serve((seen) => {
    const step = /^\/\w\.jpg$/.test(seen.path) ? 'result' : stepOf(seen);
    if (step === 'submit' || step === 'cancel') counts[step] += 1;
    const held = isHeld ? whileRunning(seen, step) : undefined;
    if (held !== undefined) return held;
    if (typeof step !== 'string') return step;
    return replies[step] ?? { status: 200 };
  });
  const repliesWith = (image: Buffer) =>
    makeReplies({ server: server.origin, results: resultsOrigin ?? server.origin, image });
  const replies = repliesWith(await sampleJpeg(96, 64));
  return {
    server,
    replies,
    returns: (image) => void Object.assign(replies, repliesWith(image)),
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
    },
    submissions: () => counts.submit,
    cancellations: () => counts.cancel,
    clear: () => void Object.assign(counts, { submit: 0, cancel: 0 }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** An upstream with the adapter that calls it. */
export interface FakeWithAdapter extends FakeUpstream {
  /** Serves results at another origin, which must not get the key. */
  results: FakeServer;
  generator: UpstreamGenerator;
}

export async function startFake({ create, ...options }: FakeOptions): Promise<FakeWithAdapter> {
  const results = await serve(() => upstream.replies.result);
  const upstream = await startUpstream(options, results.origin);
  const egress = createEgress({ allowOrigins: [upstream.server.origin, results.origin] });
  return {
    ...upstream,
    results,
    generator: create(upstream.server.origin, egress),
    async [Symbol.asyncDispose]() {
      await egress[Symbol.asyncDispose]();
      await Promise.all([upstream, results].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

export const KEY = '0b8f7f0e-6c7a-4f43-9a55-3a4f0c1d2e3f';

/** Changes to a render and to the request that it makes. */
export type RenderChanges = Partial<UpstreamRequest & UpstreamRender>;

export async function renderOf(changes: RenderChanges = {}): Promise<UpstreamRender> {
  const request: UpstreamRequest = {
    key: KEY,
    accountTag: 'tag',
    tool: 'declutter',
    instruction: 'Remove the clutter.',
    image: await sampleJpeg(96, 64),
    mime: 'image/jpeg',
    width: 96,
    height: 64,
    target: { longestSide: 2048, neverSmaller: false },
    signal: new AbortController().signal,
    ...changes,
  };
  return {
    request: async () => request,
    onSubmitted: async () => {},
    ...changes,
    signal: request.signal,
    instruction: request.instruction,
  };
}
