import type { Collection, Filter } from 'mongodb';

/** Maximum number of values per query. */
const BATCH = 100;

interface Waiting<T> {
  resolve: (document: T | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Finds documents by one unique, indexed field. Look-ups in the same turn of the event loop share a query, because the
 * driver's cost per query is many times that per document.
 */
export function createLookUp<F extends string, T extends { _id: string } & Record<F, string>>(
  collection: Collection<T>,
  field: F,
): (value: string) => Promise<T | null> {
  let waiting = new Map<string, Waiting<T>[]>();

  function flush(): void {
    const all = [...waiting];
    waiting = new Map();
    for (let start = 0; start < all.length; start += BATCH) void query(all.slice(start, start + BATCH));
  }

  async function query(batch: readonly [string, Waiting<T>[]][]): Promise<void> {
    try {
      const values = batch.map(([value]) => value);
      const found = await collection.find<T>({ [field]: { $in: values } } as Filter<T>).toArray();
      const byValue = new Map(found.map((document) => [document[field] as string, document]));
      for (const [value, callers] of batch)
        for (const { resolve } of callers) resolve(byValue.get(value) ?? null);
    } catch (error) {
      for (const [, callers] of batch) for (const { reject } of callers) reject(error);
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
