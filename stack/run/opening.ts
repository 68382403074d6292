type Resource = AsyncDisposable | Disposable;
type Keep = <R extends Resource>(resource: R) => R;

/**
 * Runs work that opens one resource after the other and hands each to `keep`. When it fails, what it kept
 * is closed, last first; when it succeeds, disposing the result does that.
 */
export async function opening<T extends object>(
  work: (keep: Keep) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const kept: Resource[] = [];
  const close = async () => {
    for (let resource = kept.pop(); resource; resource = kept.pop()) {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
      else resource[Symbol.dispose]();
    }
  };
  try {
    const result = await work((resource) => {
      kept.push(resource);
      return resource;
    });
    return { ...result, [Symbol.asyncDispose]: close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Waits for all starts, also when one fails, so that none is left half started; then throws that failure. */
export async function allStarted(starts: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
