import type { Collection } from 'mongodb';
import { NotFound } from '../../domain/errors.ts';

/** The order of the lists. */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** What follows a document in the order {@link NEWEST_FIRST}. */
export const followers = ({ _id, createdAt }: { _id: string; createdAt: Date }) => ({
  // The $or alone is sufficient, but cannot use the index.
  createdAt: { $lte: createdAt },
  $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: _id } }],
});

/**
 * {@link followers} of the document with this id; everything without one.
 * @param accountId whose document it must be; null for any
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
