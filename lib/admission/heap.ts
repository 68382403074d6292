export interface Heap<T> {
  /** The least item. */
  first(): T | undefined;
  /** Adds an item. Its order must not change until it is deleted. */
  add(item: T): void;
  /** Does nothing if the item is not in the heap. */
  delete(item: T): void;
}

/** A binary min-heap with deletion of any item; adding and deleting take O(log n) comparisons. */
export function createHeap<T>(isLess: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const indexes = new Map<T, number>();

  function put(item: T, index: number): void {
    items[index] = item;
    indexes.set(item, index);
  }

  /** Moves the item up from index `from`. @returns its new index */
  function rise(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = items[above] as T;
      if (!isLess(item, parent)) break;
      put(parent, index);
      index = above;
    }
    put(item, index);
    return index;
  }

  function sink(item: T, from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const least = right < items.length && isLess(items[right] as T, items[left] as T) ? right : left;
      const child = items[least] as T;
      if (!isLess(child, item)) break;
      put(child, index);
      index = least;
    }
    put(item, index);
  }

  return {
    first: () => items[0],
    add(item) {
      rise(item, items.length);
    },
    delete(item) {
      const index = indexes.get(item);
      if (index === undefined) return;
      indexes.delete(item);
      const last = items.pop() as T;
      if (last !== item) sink(last, rise(last, index));
    },
  };
}
