/** Closes resources in reverse order (Node 20 has no AsyncDisposableStack). */
export function closers() {
  const stack: (() => Promise<unknown>)[] = [];
  return {
    use<T extends AsyncDisposable>(resource: T): T {
      stack.push(async () => resource[Symbol.asyncDispose]());
      return resource;
    },
    defer(close: () => Promise<unknown>): void {
      stack.push(close);
    },
    async close(): Promise<void> {
      for (const close of stack.reverse()) await close();
    },
  };
}
