/** Bounds how many at a time share a name, so that one slow receiver can't take every place there is. */
export interface Lanes {
  /** Takes a place in each lane named, or none at all when one is full. @returns how to leave them again */
  enter(names: readonly string[]): (() => void) | undefined;
}

export function createLanes(limit: number): Lanes {
  const taken = new Map<string, number>();
  const add = (name: string, change: 1 | -1) => {
    const count = (taken.get(name) ?? 0) + change;
    if (count === 0) taken.delete(name);
    else taken.set(name, count);
  };
  return {
    enter(names) {
      if (names.some((name) => (taken.get(name) ?? 0) >= limit)) return undefined;
      for (const name of names) add(name, 1);
      return () => {
        for (const name of names) add(name, -1);
      };
    },
  };
}
