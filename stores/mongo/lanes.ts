import { inBatches } from './batches.ts';

/** Thrown when a lane is full; nothing was done. */
export class LaneFull extends Error {
  override readonly name = 'LaneFull';
}

export interface LaneLimits {
  /** Items of one batch at the most. */
  together: number;
  /** Items that are under way or wait in a lane at the most; what comes then is turned away, to come again. */
  waiting: number;
}

/**
 * Work of one lane is done in batches, one after the other; lanes are worked on side by side. What arrives while a
 * batch is under way makes the next one, so nothing waits in an empty lane.
 */
export function createLanes<T, R>(
  run: (items: T[]) => Promise<R[]>,
  { together, waiting: most }: LaneLimits,
) {
  const lanes = new Map<string, { add: (item: T) => Promise<R>; waiting: number }>();
  return async (name: string, item: T): Promise<R> => {
    const lane = lanes.get(name) ?? { add: inBatches(run, together), waiting: 0 };
    if (lane.waiting >= most) throw new LaneFull(`${lane.waiting} are waiting already.`);
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
