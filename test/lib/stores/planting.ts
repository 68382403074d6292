import type { Mongo } from '../../../lib/stores/mongo/client.ts';
import { collections } from '../../../lib/stores/mongo/documents.ts';
import { type Posting, postRows } from '../../../lib/stores/mongo/ledger.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { type Books, getOrThrow, idempotencyId, post } from '../../fakes/books.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';

type Records = 'accounts' | 'jobs' | 'keys' | 'ledger' | 'packs';

/** Changes that no operation of the service makes. */
export interface Planting {
  /** Posts a row as the service does: with the next number, and with the balance. */
  post(posting: Posting & { accountId: string }): Promise<unknown>;
  set(records: Records, id: string, fields: object): Promise<unknown>;
  remove(records: Records, id: string): Promise<unknown>;
  /** A copy of a job with another id. */
  copyJob(id: string, copyId: string): Promise<unknown>;
  /** Spends an idempotency key on a job. */
  spend(jobId: string, keyId: string, key: string): Promise<unknown>;
  unspend(jobId: string): Promise<unknown>;
}

/** See storesUnderTest. */
export function plantings(): [name: string, stores: Stores, planting: Planting][] {
  const fake = createFakeStores();
  const mongo = databaseOfFile();
  return [
    ['the fake', fake, plantInBooks(fake.books)],
    ['the MongoDB adapter', createMongoStores(mongo), plantInMongo(mongo)],
  ];
}

function plantInBooks(books: Books): Planting {
  const all: Record<Records, Map<string, object>> = books;
  return {
    post: async (posting) => post(books, posting),
    set: async (records, id, fields) => Object.assign(getOrThrow(all[records], records, id), fields),
    remove: async (records, id) => all[records].delete(id),
    copyJob: async (id, copyId) =>
      books.jobs.set(copyId, { ...structuredClone(getOrThrow(books.jobs, 'job', id)), id: copyId }),
    spend: async (jobId, keyId, key) =>
      books.idempotency.set(idempotencyId(keyId, key), { jobId, bodyDigest: 'digest' }),
    async unspend(jobId) {
      for (const [id, row] of books.idempotency) if (row.jobId === jobId) books.idempotency.delete(id);
    },
  };
}

function plantInMongo(mongo: Mongo): Planting {
  const c = collections(mongo.db);
  return {
    post: ({ accountId, ...posting }) =>
      mongo.transaction((session) => postRows(c, session, accountId, [posting], new Date())),
    set: (records, id, fields) => byName(mongo, records).updateOne({ _id: id }, { $set: fields }),
    remove: (records, id) => byName(mongo, records).deleteOne({ _id: id }),
    async copyJob(id, copyId) {
      const job = await c.jobs.findOne({ _id: id });
      if (job !== null) await c.jobs.insertOne({ ...job, _id: copyId });
    },
    spend: (jobId, keyId, key) =>
      c.idempotency.insertOne({ _id: jobId, keyId, key, bodyDigest: 'digest', createdAt: new Date() }),
    unspend: (jobId) => c.idempotency.deleteOne({ _id: jobId }),
  };
}

const byName = (mongo: Mongo, name: Records) => mongo.db.collection<{ _id: string }>(name);
