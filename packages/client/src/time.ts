/** The longest delay of setTimeout. It runs a longer delay at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Limits {
  /** Any time, also Infinity. */
  ms: number;
  outer: AbortSignal | undefined;
  reason: () => Error;
}

/**
 * Runs `run` with a signal that aborts with `reason()` after `ms`, or as soon as `outer` aborts.
 * `run` restarts the time with its second argument. After the abort it throws at once, even if
 * `run` goes on.
 * @throws the reason of the signal, or of `outer` if it has aborted already
 */
export async function within<T>(
  { ms, outer, reason }: Limits,
  run: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const forward = () => controller.abort(outer?.reason);
  const start = () => after(ms, () => controller.abort(reason()));
  let stop = start();
  const restart = () => {
    stop();
    stop = start();
  };
  outer?.addEventListener('abort', forward, { once: true });
  try {
    return await unlessAborted(controller.signal, () => run(controller.signal, restart));
  } finally {
    stop();
    outer?.removeEventListener('abort', forward);
  }
}

/**
 * @throws the reason of `signal` as soon as it aborts. Does not wait for `run`, which may not know
 * the signal
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    if (stop !== undefined) signal?.removeEventListener('abort', stop);
  }
}

/** @throws the reason of `signal`, when it aborts before the time is over */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let stop: (() => void) | undefined;
  const over = () =>
    new Promise<void>((resolve) => {
      stop = after(ms, resolve);
    });
  await unlessAborted(signal, over).finally(() => stop?.());
}

/** setTimeout for any time. @returns a function that stops it */
function after(ms: number, ring: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number) => {
    const next = () => (left > LONGEST_TIMER_MS ? wait(left - LONGEST_TIMER_MS) : ring());
    timer = setTimeout(next, Math.min(left, LONGEST_TIMER_MS));
  };
  wait(ms);
  return () => clearTimeout(timer);
}
