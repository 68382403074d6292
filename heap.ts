export interface Heap<T> {
  /** The item that comes before all others. */
  first(): T | undefined;
  /** Takes an item in. What it is ordered by must not change until it is deleted. */
  add(item: T): void;
  /** Does nothing for an item that isn't in it. */
  delete(item: T): void;
}

/** A binary heap whose items can leave from anywhere: adding and deleting take O(log n) comparisons. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const places = new Map<T, number>();

  function put(item: T, place: number): void {
    items[place] = item;
    places.set(item, place);
  }

  /** Moves parents down until the item may stand. @returns its place */
  function rise(item: T, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above] as T;
      if (!before(item, parent)) break;
      put(parent, place);
      place = above;
    }
    put(item, place);
    return place;
  }

  function sink(item: T, from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const least = right < items.length && before(items[right] as T, items[left] as T) ? right : left;
      const child = items[least] as T;
      if (!before(child, item)) break;
      put(child, place);
      place = least;
    }
    put(item, place);
  }

  return {
    first: () => items[0],
    add(item) {
      rise(item, items.length);
    },
    delete(item) {
      const place = places.get(item);
      if (place === undefined) return;
      places.delete(item);
      const last = items.pop() as T;
      if (last !== item) sink(last, rise(last, place));
    },
  };
}
