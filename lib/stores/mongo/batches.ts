interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Batches concurrent calls. Items that arrive while a batch runs form the next one, so an idle batcher adds no delay.
 * `run` returns results in the order of its items; if it throws, all items of the batch fail.
 * @param most maximum size of a batch
 */
export function inBatches<T, R>(run: (items: T[]) => Promise<R[]>, most = 100): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
    });
}
