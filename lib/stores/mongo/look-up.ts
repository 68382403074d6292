import DataLoader from 'dataloader';
import type { Collection, Filter } from 'mongodb';

/** Maximum number of values per query. */
const BATCH = 100;

/**
 * Finds documents by one unique, indexed field. Look-ups in the same turn of the event loop share a query, because the
 * driver's cost per query is many times that per document. Nothing is cached.
 */
export function createLookUp<F extends string, T extends { _id: string } & Record<F, string>>(
  collection: Collection<T>,
  field: F,
): (value: string) => Promise<T | null> {
  async function query(values: readonly string[]): Promise<(T | null)[]> {
    const found = await collection.find<T>({ [field]: { $in: values } } as Filter<T>).toArray();
    const byValue = new Map(found.map((document) => [document[field] as string, document]));
    return values.map((value) => byValue.get(value) ?? null);
  }
  const loader = new DataLoader(query, { cache: false, maxBatchSize: BATCH, batchScheduleFn: setImmediate });
  return (value) => loader.load(value);
}
