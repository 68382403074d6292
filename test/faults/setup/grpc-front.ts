import { once } from 'node:events';
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** The gRPC method of Update-with-Start, by which the API submits a job. */
const ACCEPT_METHOD = '/temporal.api.workflowservice.v1.WorkflowService/ExecuteMultiOperation';

/** Replaces Temporal's response, either as soon as the call was forwarded or once Temporal has responded. */
export type Replacement = { status: number; when: 'immediately' | 'afterwards' };

/** A call of the API and the same call to Temporal. */
type ForwardedCall = { stream: ServerHttp2Stream; call: ClientHttp2Stream };

/** An HTTP/2 proxy on loopback for Temporal. It forwards every call and can replace responses to Update-with-Start. */
export async function startGrpcFront(address: string) {
  let replacement: Replacement | undefined;
  const accepting = new Set<ServerHttp2Stream>();
  const server = createServer();
  const closing = new AbortController();
  server.on('session', (session) => {
    const upstream = connect(`http://${address}`);
    const end = () => {
      session.destroy();
      upstream.destroy();
    };
    for (const side of [session, upstream]) side.on('error', end).on('close', end);
    closing.signal.addEventListener('abort', end, { once: true });
    session.on('stream', (stream, headers) => {
      const forwarded = { stream, call: upstream.request(headers) };
      if (headers[':path'] === ACCEPT_METHOD) accept(forwarded);
      else forward(forwarded);
    });
  });

  /** Temporal does not notice a replaced response: its call runs to the end. */
  function accept(forwarded: ForwardedCall): void {
    const { stream, call } = forwarded;
    accepting.add(stream);
    stream.on('close', () => accepting.delete(stream));
    forward(forwarded, () => {
      if (replacement === undefined) return false;
      replace(stream, replacement);
      call.resume();
      return true;
    });
    call.on('finish', () => {
      if (replacement?.when === 'immediately') replace(stream, replacement);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Applies to open calls too. Undefined forwards Temporal's responses. */
    replaceResponses(next: Replacement | undefined) {
      replacement = next;
      if (next?.when === 'immediately') for (const stream of accepting) replace(stream, next);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function replace(stream: ServerHttp2Stream, { status }: Replacement): void {
  if (stream.destroyed || stream.headersSent) return;
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) };
  stream.respond(headers, { endStream: true });
}

/** @param replaced called for each response; returns whether it has sent a replacement */
function forward({ stream, call }: ForwardedCall, replaced = () => false): void {
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (headers, flags) => {
    if (replaced() || stream.destroyed || stream.headersSent) return void call.resume();
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, { endStream, waitForTrailers: !endStream });
    if (!endStream) call.pipe(stream);
  });
  call.on('trailers', (received) => {
    trailers = received;
  });
  call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('error', () => {});
  stream.on('close', () => {
    if (!stream.headersSent) call.close(stream.rstCode);
  });
  stream.pipe(call);
}
