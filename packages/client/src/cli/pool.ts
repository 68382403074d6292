/** Runs `run` for each item, at most `size` at a time, until all are done or the signal aborts. */
export async function inPool<T>(
  items: readonly T[],
  size: number,
  signal: AbortSignal,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const runner = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      await run(item);
    }
  };
  await Promise.all(Array.from({ length: size }, runner));
}
