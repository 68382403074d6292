import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountDocument, collections, type JobDocument } from '../../../lib/stores/mongo/documents.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import type { RetentionStore } from '../../../lib/stores/retention-store.ts';
import { databaseOfFile } from '../../setup/database.ts';

/** A document of MongoDB's profiler; see "Database Profiler Output" in its manual. */
interface Profile {
  planSummary?: string;
  keysExamined?: number;
  docsExamined?: number;
  nreturned?: number;
}

const mongo = databaseOfFile();
const { retention } = createMongoStores(mongo);
const profiles = mongo.db.collection<Profile>('system.profile');
const STATUSES = ['completed', 'failed', 'deleted', 'processing'] as const;
const MONTH_AGO = new Date(Date.now() - 30 * 24 * 3_600_000);

beforeAll(async () => {
  const c = collections(mongo.db);
  await c.jobs.insertMany(Array.from({ length: 4000 }, (_, n) => job(n)));
  await c.accounts.insertMany(Array.from({ length: 1000 }, (_, n) => account(n)));
});
// A database with an active profiler cannot be dropped.
afterAll(() => mongo.db.command({ profile: 0 }));

/** Jobs of four accounts with one key each, in all states; one in ten is old. */
function job(n: number): JobDocument {
  const status = STATUSES[n % 4] ?? 'completed';
  const createdAt = new Date(Date.now() - (n < 400 ? 60 : 1) * 24 * 3_600_000 + n);
  const hasObjects = status !== 'deleted';
  return {
    _id: `job-${String(n).padStart(5, '0')}`,
    accountId: `account-${(n >> 2) % 4}`,
    keyId: `key-${(n >> 2) % 4}`,
    tool: 'declutter',
    status,
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: `job:${n}`,
    inputs: hasObjects ? [{ bucket: 'inputs', key: `${n}` }] : [],
    results: status === 'completed' ? [{ bucket: 'results', key: `${n}` }] : [],
    error: null,
    idempotencyKey: null,
    answered: [],
    withdrawn: [],
    createdAt,
    completedAt: status === 'processing' ? null : createdAt,
    processingMs: 1,
  };
}

/** Few of the accounts are closed. */
const account = (n: number): AccountDocument => ({
  _id: `account-${n}`,
  name: 'Acme',
  status: n < 2 ? 'closed' : 'active',
  balance: 0,
  seq: 0,
  keysIssued: 1,
  webhook: { url: null, secret: '', previousSecret: null, previousUntil: null, disabledReason: null },
  createdAt: MONTH_AGO,
});

/** Profile of a query. */
async function profileOf(query: (store: RetentionStore) => Promise<unknown>): Promise<Profile[]> {
  await mongo.db.command({ profile: 2 });
  await query(retention);
  await mongo.db.command({ profile: 0 });
  const queried = ['jobs', 'accounts'].map((name) => `${mongo.db.databaseName}.${name}`);
  const profile = await profiles.find({ op: { $in: ['query', 'command'] }, ns: { $in: queried } }).toArray();
  await profiles.drop();
  return profile;
}

const queries: Record<string, [index: RegExp, (store: RetentionStore) => Promise<unknown>]> = {
  'expired jobs of a key': [
    /keyId: 1, status: 1, createdAt: 1/,
    (store) => store.expired('key-1', MONTH_AGO, 20),
  ],
  'the surplus of an account': [
    /accountId: 1, status: 1, completedAt: 1, _id: 1/,
    (store) => store.surplus('account-1', 20, 20),
  ],
  'failed jobs with their input': [
    /inputs.bucket: 1, createdAt: 1/,
    (store) => store.failedWithInput(MONTH_AGO, 20),
  ],
  'processing jobs': [/status: 1, _id: 1/, (store) => store.processing(0, 'job-02000', 20)],
  'the oldest processing job': [/status: 1, createdAt: 1/, (store) => store.oldestProcessing()],
  'jobs of closed accounts': [/status: 1/, (store) => store.ofClosedAccounts(20)],
  'objects without a job': [
    /(inputs|results).key: 1/,
    (store) =>
      store.unowned(
        (['inputs', 'results'] as const).flatMap((bucket) =>
          Array.from({ length: 40 }, (_, n) => ({ bucket, key: `${n}` })),
        ),
      ),
  ],
};

test.each(Object.entries(queries))(
  'the query for %s uses an index and scans no more than its limit',
  async (_, [index, query]) => {
    const profile = await profileOf(query);
    expect(profile.length).toBeGreaterThan(0);
    for (const { planSummary, docsExamined = 0, keysExamined = 0 } of profile) {
      expect(planSummary).toMatch(/^IXSCAN/);
      expect(planSummary).toMatch(index);
      expect(docsExamined).toBeLessThanOrEqual(50);
      expect(keysExamined).toBeLessThanOrEqual(100);
    }
  },
);
