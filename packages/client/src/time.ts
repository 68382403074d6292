/**
 * Runs `run` with a signal that aborts with `reason()` after `ms`, or as soon as `outer` aborts.
 * @throws the reason of `outer`, when that is aborted already
 */
export async function within<T>(
  { ms, outer, reason }: { ms: number; outer: AbortSignal | undefined; reason: () => Error },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const forward = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(reason()), ms);
  outer?.addEventListener('abort', forward, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', forward);
  }
}

/** @throws the reason of `signal`, when it aborts before the time is over */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
