/** Runs work of one lane one after the other; work of different lanes runs side by side. */
export function createLanes() {
  const tails = new Map<string, Promise<unknown>>();
  return async <T>(lane: string, work: () => Promise<T>): Promise<T> => {
    const mine = (tails.get(lane) ?? Promise.resolve()).then(work, work);
    tails.set(lane, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(lane) === mine) tails.delete(lane);
    }
  };
}
