import type { Collection, Filter } from 'mongodb';

/** A query finds no more than this at a time. */
const MOST = 100;

interface Waiting<T> {
  resolve: (document: T | null) => void;
  reject: (cause: unknown) => void;
}

/**
 * Finds documents by the value of one unique, indexed field. Look-ups made in the same turn of the event loop travel
 * as one query, for a query costs the driver many times what a document in it does; a lone one waits for nobody.
 */
export function createLookUp<F extends string, T extends { _id: string } & Record<F, string>>(
  collection: Collection<T>,
  field: F,
): (value: string) => Promise<T | null> {
  let waiting = new Map<string, Waiting<T>[]>();

  function flush(): void {
    const all = [...waiting];
    waiting = new Map();
    for (let start = 0; start < all.length; start += MOST) void answer(all.slice(start, start + MOST));
  }

  async function answer(asked: readonly [string, Waiting<T>[]][]): Promise<void> {
    try {
      const values = asked.map(([value]) => value);
      const found = await collection.find<T>({ [field]: { $in: values } } as Filter<T>).toArray();
      const byValue = new Map(found.map((document) => [document[field] as string, document]));
      for (const [value, callers] of asked)
        for (const { resolve } of callers) resolve(byValue.get(value) ?? null);
    } catch (cause) {
      for (const [, callers] of asked) for (const { reject } of callers) reject(cause);
    }
  }

  return (value) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(flush);
      const callers = waiting.get(value);
      if (callers === undefined) waiting.set(value, [{ resolve, reject }]);
      else callers.push({ resolve, reject });
    });
}
