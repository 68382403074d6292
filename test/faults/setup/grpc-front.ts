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

/** The call by which a job is handed over: Update-with-Start. */
const ACCEPTING_CALL = '/temporal.api.workflowservice.v1.WorkflowService/ExecuteMultiOperation';

/** What is answered in place of Temporal's answer, as soon as the call was passed on or once Temporal has answered it. */
export type Replacement = { status: number; when: 'at once' | 'afterwards' };

/** A call of the API's that Temporal has not answered yet. */
type Waiting = { stream: ServerHttp2Stream; call: ClientHttp2Stream };

/** An HTTP/2 proxy on loopback in front of Temporal that passes every call on and can answer the accepting ones itself. */
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
      const waiting = { stream, call: upstream.request(headers) };
      if (headers[':path'] === ACCEPTING_CALL) accept(waiting);
      else passOn(waiting);
    });
  });

  /** Temporal hears nothing of a replaced answer: its call goes on to its end. */
  function accept(waiting: Waiting): void {
    const { stream, call } = waiting;
    accepting.add(stream);
    stream.on('close', () => accepting.delete(stream));
    passOn(waiting, () => {
      if (replacement === undefined) return false;
      replace(stream, replacement);
      call.resume();
      return true;
    });
    call.on('finish', () => {
      if (replacement?.when === 'at once') replace(stream, replacement);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on, calls that wait for an answer included; undefined passes on Temporal's answers. */
    replaceAnswers(by: Replacement | undefined) {
      replacement = by;
      if (by?.when === 'at once') for (const stream of accepting) replace(stream, by);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function replace(stream: ServerHttp2Stream, { status }: Replacement): void {
  if (stream.destroyed || stream.headersSent) return;
  const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) };
  stream.respond(answer, { endStream: true });
}

/** @param replaced looks at an answer that came, and says whether another one was sent in its place */
function passOn({ stream, call }: Waiting, replaced = () => false): void {
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (answer, flags) => {
    if (replaced() || stream.destroyed || stream.headersSent) return void call.resume();
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, { endStream, waitForTrailers: !endStream });
    if (!endStream) call.pipe(stream);
  });
  call.on('trailers', (given) => {
    trailers = given;
  });
  call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('error', () => {});
  stream.on('close', () => {
    if (!stream.headersSent) call.close(stream.rstCode);
  });
  stream.pipe(call);
}
