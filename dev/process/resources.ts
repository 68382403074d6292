type Resource = AsyncDisposable | Disposable;
type Keep = <R extends Resource>(resource: R) => R;

/**
 * Runs work that opens resources and passes each to `keep`. They are closed in reverse order: when the work fails, or
 * when the result is disposed.
 */
export async function withResources<T extends object>(
  work: (keep: Keep) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const resources: Resource[] = [];
  const close = async () => {
    for (let resource = resources.pop(); resource; resource = resources.pop()) {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
      else resource[Symbol.dispose]();
    }
  };
  try {
    const result = await work((resource) => {
      resources.push(resource);
      return resource;
    });
    return { ...result, [Symbol.asyncDispose]: close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Waits for all starts, even when one fails, so that none is left half started; then throws the first failure. */
export async function allStarted(starts: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
