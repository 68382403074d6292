import { countdown } from '../process/countdown.ts';
import { EgressError, toEgressError } from './error.ts';

export interface TimeLimits {
  /** Milliseconds for everything: DNS, connect, redirects, headers and body. */
  timeoutMs: number;
  /** The caller's signal. Its abort reason is thrown unchanged. */
  signal?: AbortSignal;
}

export interface Deadline {
  /** Aborts when the time is up, the caller aborts, or the work has failed. */
  signal: AbortSignal;
  /**
   * Stops the clock during a wait that the server is not responsible for. An error of `wait` is
   * thrown unchanged.
   */
  pause<T>(wait: () => Promise<T>): Promise<T>;
}

/**
 * Runs `work` with a signal that aborts when the time is up or the caller aborts, and always when
 * `work` fails, so that no I/O continues after a failure. Time in which this process stood still
 * does not count, see {@link countdown}: the response that waits in the socket may have been paid
 * for. It has its own timer because AbortSignal.any over timeouts may be garbage-collected before
 * it fires.
 * @throws EgressError, the reason of the caller's signal, or the error of a paused wait
 */
export async function withTimeLimits<T>(
  { timeoutMs, signal: outer }: TimeLimits,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new EgressError('timeout', `The server took longer than ${timeoutMs / 1000} seconds.`));
  const stop = () => controller.abort(outer?.reason);
  using timer = countdown(timeoutMs, expire);
  let pauseError: unknown;
  const pause = async <W>(wait: () => Promise<W>): Promise<W> => {
    const resume = timer.pause();
    try {
      return await wait();
    } catch (error) {
      pauseError = error;
      throw error;
    } finally {
      resume();
    }
  };
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await work({ signal: controller.signal, pause });
  } catch (error) {
    if (outer?.aborted) throw outer.reason;
    controller.abort(error);
    throw error === pauseError ? error : toEgressError(error);
  } finally {
    outer?.removeEventListener('abort', stop);
  }
}

/**
 * Settles with `work`, or rejects with the signal's reason if that aborts first. A later outcome is
 * ignored.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
