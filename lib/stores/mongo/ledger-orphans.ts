import type { ClientSession, Db } from 'mongodb';
import { orphansBreach } from '../../domain/audit.ts';
import type { Mongo } from './client.ts';

/** Owners per query. */
const PAGE = 1000;

/**
 * Records that belong to accounts and to keys, by collection. Each collection has an index that
 * begins with the field. A job that was restored after a loss of MongoDB may name a key that is
 * gone. Its idempotency key is right as long as the job exists.
 */
const OWNED = [
  {
    owner: 'account',
    owners: 'accounts',
    field: 'accountId',
    by: { ledger: 'ledger rows', jobs: 'jobs', packs: 'packs', keys: 'keys' },
  },
  { owner: 'key', owners: 'keys', field: 'keyId', by: { idempotency: 'idempotency keys' } },
] as const;

/**
 * Finds records whose account or key does not exist.
 * @returns a sentence for each missing owner and collection
 */
export async function auditOwners(mongo: Mongo, onPage = () => {}): Promise<string[]> {
  const breaches: string[] = [];
  for (const owned of OWNED) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const start: string = after;
      const page = await mongo.snapshot((db, session) => auditRange(db, { session }, owned, start));
      breaches.push(...page.breaches);
      after = page.next;
      onPage();
    }
  }
  return breaches;
}

/** Audits the records whose owners follow `after`, one page of owners. */
async function auditRange(
  db: Db,
  options: { session: ClientSession },
  { owner, owners, field, by }: (typeof OWNED)[number],
  after: string,
): Promise<{ breaches: string[]; next: string | undefined }> {
  const existing = db
    .collection<{ _id: string }>(owners)
    .find({ _id: { $gt: after } }, { ...options, projection: { _id: 1 } });
  const ids = (await existing.sort({ _id: 1 }).limit(PAGE).toArray()).map(({ _id }) => _id);
  const next = ids.length < PAGE ? undefined : ids.at(-1);
  const range = { [field]: { $gt: after, ...(next === undefined ? {} : { $lte: next }) } };
  const known = new Set(ids);
  const breaches: string[] = [];
  for (const [name, records] of Object.entries(by)) {
    const collection = db.collection(name);
    const named: string[] = await collection.distinct(field, range, options);
    for (const id of named.filter((other) => !known.has(other))) {
      const totals = { $group: { _id: null, count: { $sum: 1 }, delta: { $sum: '$delta' } } };
      const left = [{ $match: { [field]: id } }, ...(owner === 'key' ? WITHOUT_JOB : []), totals];
      const found = collection.aggregate<Totals>(left, options);
      for (const { count, delta } of await found.toArray())
        breaches.push(orphansBreach({ owner, id, records, count, delta }));
    }
  }
  return { breaches, next };
}

/** Idempotency keys without a job. The id of an idempotency key is the id of its job. */
const WITHOUT_JOB = [
  { $lookup: { from: 'jobs', localField: '_id', foreignField: '_id', as: 'jobs' } },
  { $match: { 'jobs.accountId': { $exists: false } } },
];

interface Totals {
  count: number;
  delta: number;
}
