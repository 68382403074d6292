interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Batches concurrent calls. Items that arrive while a batch runs form the next one, so an idle
 * batcher adds no delay. `run` returns results in the order of its items; if it throws, all items
 * of the batch fail.
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

/** Thrown when the queue of an account is full; nothing was done. */
export class AccountQueueFull extends Error {
  override readonly name = 'AccountQueueFull';
}

export interface AccountQueueLimits {
  /** Maximum number of items in one batch. */
  maxBatch: number;
  /**
   * Maximum number of items per account, running or waiting; further ones are rejected and may be
   * retried.
   */
  maxWaiting: number;
}

/**
 * Runs the items of each account in sequential batches; accounts run concurrently. See {@link
 * inBatches}.
 * @returns adds an item to the queue of its account and waits for its result
 */
export function createAccountQueues<T, R>(
  run: (items: T[]) => Promise<R[]>,
  { maxBatch, maxWaiting }: AccountQueueLimits,
) {
  const queues = new Map<string, { add: (item: T) => Promise<R>; waiting: number }>();
  return async (accountId: string, item: T): Promise<R> => {
    const queue = queues.get(accountId) ?? { add: inBatches(run, maxBatch), waiting: 0 };
    if (queue.waiting >= maxWaiting)
      throw new AccountQueueFull(`${queue.waiting} items are already waiting.`);
    queues.set(accountId, queue);
    queue.waiting += 1;
    try {
      return await queue.add(item);
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(accountId);
    }
  };
}
