import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

/** A call of a tool, as the SDK passes it on. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Progress extends Disposable {
  /** Whether the client asked for progress. Then it probably waits as long as progress comes. */
  readonly isWatched: boolean;
  /** Reports this now and every few seconds. Clients stop waiting for a call without progress. */
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
    // The client may be gone. The call itself notices that.
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
