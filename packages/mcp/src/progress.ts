import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

/** A call of a tool, as the SDK passes it on. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Progress extends Disposable {
  /** Whether the client asked for progress, and so is likely to wait as long as there is some. */
  readonly isWatched: boolean;
  /** Says this now, and again every few seconds: clients stop waiting for a call that makes no progress. */
  now(message: string): void;
}

const EVERY_MS = 5_000;

export function createProgress({ _meta, sendNotification, signal }: Extra): Progress {
  const progressToken = _meta?.progressToken;
  const began = Date.now();
  let message = '';
  let progress = 0;
  const send = (text: string) => {
    if (progressToken === undefined || signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, message: text };
    // A client that is gone gets no progress; the call itself finds out.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(
    () => send(`${message} (${Math.round((Date.now() - began) / 1000)} s)`),
    EVERY_MS,
  );
  return {
    isWatched: progressToken !== undefined,
    now(next) {
      message = next;
      send(message);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
