import { EgressError, toEgressError } from './error.ts';

export interface TimeLimits {
  /** Milliseconds for everything: DNS, connect, redirects, headers and body. */
  timeoutMs: number;
  /** The caller's own wish to stop; its reason is thrown as it is. */
  signal?: AbortSignal;
}

export interface Deadline {
  /** Aborts when the time is up, the caller stops, or the work has failed. */
  signal: AbortSignal;
  /** Waits for something that is not the server's to hurry: the clock stands still, and a failure is thrown as it is. */
  standStill<T>(wait: () => Promise<T>): Promise<T>;
}

/**
 * Runs `work` with a signal that aborts when the time is up or the caller stops, and always when `work` fails, so
 * that nothing goes on behind a failure. Own timer: AbortSignal.any over timeouts may be collected before it fires.
 */
export async function withDeadline<T>(
  { timeoutMs, signal: outer }: TimeLimits,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new EgressError('timeout', `The server took longer than ${timeoutMs / 1000} seconds.`));
  const stop = () => controller.abort(outer?.reason);
  let timer = setTimeout(expire, timeoutMs);
  let due = performance.now() + timeoutMs;
  let foreign: unknown;
  const standStill = async <W>(wait: () => Promise<W>): Promise<W> => {
    clearTimeout(timer);
    const left = due - performance.now();
    try {
      return await wait();
    } catch (error) {
      foreign = error;
      throw error;
    } finally {
      due = performance.now() + left;
      timer = setTimeout(expire, left);
    }
  };
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await work({ signal: controller.signal, standStill });
  } catch (error) {
    if (outer?.aborted) throw outer.reason;
    controller.abort(error);
    throw error === foreign ? error : toEgressError(error);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}

/** Settles with `work` or rejects with the signal's reason, whichever is first. What `work` does later is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
