import { inBatches } from './batches.ts';

/** Thrown when a lane is full; nothing was done. */
export class LaneFull extends Error {
  override readonly name = 'LaneFull';
}

export interface LaneLimits {
  /** Maximum number of items in one batch. */
  maxBatch: number;
  /** Maximum number of items per lane, running or waiting; further ones are rejected and may be retried. */
  maxWaiting: number;
}

/**
 * Runs the items of each lane in sequential batches; lanes run concurrently. See {@link inBatches}.
 */
export function createLanes<T, R>(run: (items: T[]) => Promise<R[]>, { maxBatch, maxWaiting }: LaneLimits) {
  const lanes = new Map<string, { add: (item: T) => Promise<R>; waiting: number }>();
  return async (name: string, item: T): Promise<R> => {
    const lane = lanes.get(name) ?? { add: inBatches(run, maxBatch), waiting: 0 };
    if (lane.waiting >= maxWaiting) throw new LaneFull(`${lane.waiting} items are already waiting.`);
    lanes.set(name, lane);
    lane.waiting += 1;
    try {
      return await lane.add(item);
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0) lanes.delete(name);
    }
  };
}
