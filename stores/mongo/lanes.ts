import { inBatches } from './batches.ts';

/** More than this wait in no lane: what comes then is turned away, to come again. */
export const MOST_WAITING = 200;

/** Thrown when a lane is full; nothing was done. */
export class LaneFull extends Error {
  override readonly name = 'LaneFull';
}

/**
 * Work of one lane is done in batches, one after the other; lanes are worked on side by side. What arrives while a
 * batch is under way makes the next one, so nothing waits in an empty lane.
 */
export function createLanes<T, R>(run: (items: T[]) => Promise<R[]>, most: number) {
  const lanes = new Map<string, { add: (item: T) => Promise<R>; waiting: number }>();
  return async (name: string, item: T): Promise<R> => {
    const lane = lanes.get(name) ?? { add: inBatches(run, most), waiting: 0 };
    if (lane.waiting >= MOST_WAITING) throw new LaneFull(`${lane.waiting} are waiting already.`);
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
