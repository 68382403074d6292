import { inBatches } from './batches.ts';

/** Thrown when the queue of an account is full; nothing was done. */
export class AccountQueueFull extends Error {
  override readonly name = 'AccountQueueFull';
}

export interface AccountQueueLimits {
  /** Maximum number of items in one batch. */
  maxBatch: number;
  /** Maximum number of items per account, running or waiting; further ones are rejected and may be retried. */
  maxWaiting: number;
}

/**
 * Runs the items of each account in sequential batches; accounts run concurrently. See {@link inBatches}.
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
