/**
 * Shares the result of `work` among concurrent callers, and reuses it for `ms` milliseconds after it ended; an error is
 * shared as well. So callers, however many, cause one call at a time.
 */
export function cachedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (current !== undefined && performance.now() < until) return current;
    const started = work();
    current = started;
    until = Number.POSITIVE_INFINITY;
    const ended = () => {
      until = performance.now() + ms;
    };
    started.then(ended, ended);
    return started;
  };
}
