import DataLoader from 'dataloader';
import type { Collection, Filter } from 'mongodb';
import { NotFound } from '../../domain/errors.ts';

/** Maximum number of values per query. */
const BATCH = 100;

/**
 * Finds documents by one unique, indexed field. Look-ups in the same turn of the event loop share a
 * query, because the driver's cost per query is many times that per document. Nothing is cached.
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

/** The order of the lists. */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** What follows a document in the order {@link NEWEST_FIRST}. */
export const followers = ({ _id, createdAt }: { _id: string; createdAt: Date }) => ({
  // The $or alone would suffice, but it cannot use the index.
  createdAt: { $lte: createdAt },
  $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: _id } }],
});

/**
 * {@link followers} of the document with this id. Without an id, everything.
 * @param accountId the account that the document must belong to; null for any account
 * @throws NotFound
 */
export async function pageAfter<T extends { _id: string; createdAt: Date }>(
  collection: Collection<T>,
  after: string | undefined,
  accountId: string | null = null,
) {
  if (after === undefined) return {};
  // The driver's types cannot check a filter on a generic document.
  const [last] = await collection
    .aggregate<{ _id: string; createdAt?: Date }>([
      { $match: { _id: after, ...(accountId === null ? {} : { accountId }) } },
      { $project: { createdAt: 1 } },
    ])
    .toArray();
  if (last?.createdAt === undefined) throw new NotFound(`There is no ${after} to continue after.`);
  return followers({ _id: last._id, createdAt: last.createdAt });
}
