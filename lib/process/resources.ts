type Resource = AsyncDisposable | Disposable;

/**
 * Opened resources; disposing closes them in reverse order. Node 20 lacks AsyncDisposableStack,
 * which does this.
 */
export interface Resources extends AsyncDisposable {
  use<R extends Resource>(resource: R): R;
  defer(close: () => unknown): void;
}

/**
 * Disposing closes every resource once, even if closing another resource fails.
 * @throws the first error of closing
 */
export function createResources(): Resources {
  const closers: (() => unknown)[] = [];
  return {
    use(resource) {
      closers.push(() =>
        Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
      );
      return resource;
    },
    defer: (close) => void closers.push(close),
    async [Symbol.asyncDispose]() {
      const errors: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop())
        try {
          await close();
        } catch (error) {
          errors.push(error);
        }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/**
 * Runs work that opens resources and passes each to `keep`. They are closed in reverse order: when
 * the work fails, or when the result is disposed.
 */
export async function withResources<T extends object>(
  work: (keep: Resources['use'], defer: Resources['defer']) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const resources = createResources();
  const close = async () => resources[Symbol.asyncDispose]();
  try {
    const result = await work(resources.use, resources.defer);
    return { ...result, [Symbol.asyncDispose]: close };
  } catch (cause) {
    // The error of the work says more than an error of closing.
    await close().catch(() => {});
    throw cause;
  }
}
