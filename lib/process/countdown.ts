import { setTimeout as delay } from 'node:timers/promises';

/** The longest wait of one timer. A standstill of the process counts at most this long. */
const TICK_MS = 1000;
/**
 * A timer that fires later than this means that the process stood still, and that no socket was
 * read meanwhile.
 */
export const LATE_MS = 100;
/**
 * Time to read what arrived while the process stood still: a whole image, from a server that had to
 * wait as well.
 */
const GRACE_MS = 5000;

/** A time limit. Disposing stops it. */
export interface Countdown extends Disposable {
  /** Adds milliseconds to what is left, up to `most`. */
  add(ms: number, most: number): void;
  /** Stops it until the returned function is called. */
  pause(): () => void;
}

/**
 * Calls `onEnd` once, when the process has run for `ms` milliseconds. A process that is paused,
 * starved or moved to another machine stands still, and when it goes on, timers fire before sockets
 * are read. So this time does not count, and data that arrived meanwhile gets at least
 * {@link GRACE_MS} to be read, once.
 * @param ms may be Infinity
 * @param options `unref`: it keeps no process running
 */
export function countdown(ms: number, onEnd: () => void, { unref = false } = {}): Countdown {
  let left = ms;
  let start = 0;
  let waitMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let isGranted = false;

  const passed = () => Math.min(performance.now() - start, waitMs);
  function wait(): void {
    if (left === Number.POSITIVE_INFINITY) return;
    start = performance.now();
    waitMs = Math.max(0, Math.min(left, TICK_MS));
    timer = setTimeout(tick, waitMs);
    if (unref) timer.unref();
  }
  function tick(): void {
    left -= waitMs;
    const stoodStill = performance.now() - start - waitMs >= LATE_MS;
    if (stoodStill && !isGranted) {
      isGranted = true;
      left = Math.max(left, GRACE_MS);
    }
    if (left > 0) wait();
    else onEnd();
  }
  wait();
  return {
    add(more, most) {
      left = Math.min(left + more, most + passed());
    },
    pause() {
      clearTimeout(timer);
      left -= passed();
      return wait;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/**
 * A signal that aborts when the process has run for `ms` milliseconds, see {@link countdown}. Like
 * AbortSignal.timeout, it keeps no process running and needs no disposal.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException(`The operation took longer than ${ms} ms.`, 'TimeoutError');
  countdown(ms, () => controller.abort(reason()), { unref: true });
  return controller.signal;
}

/**
 * Waits. Rejects with the signal's reason when the signal aborts; Node's timer would reject with
 * another error.
 */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
