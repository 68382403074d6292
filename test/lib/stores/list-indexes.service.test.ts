import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../lib/domain/records.ts';
import type { DeliveryFilter } from '../../../lib/stores/delivery-store.ts';
import type { JobFilter } from '../../../lib/stores/job-store.ts';
import { collections, type JobDocument, type Stored } from '../../../lib/stores/mongo/documents.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';

/** A document of MongoDB's profiler; see "Database Profiler Output" in its manual. */
interface Profile {
  planSummary?: string;
  hasSortStage?: boolean;
  keysExamined?: number;
  docsExamined?: number;
}

const mongo = databaseOfFile();
const stores = createMongoStores(mongo);
const c = collections(mongo.db);
const profiles = mongo.db.collection<Profile>('system.profile');
const READABLE = ['processing', 'completed', 'failed'] as const;
const LIMIT = 21;
const START = Date.parse('2026-11-22T09:30:00Z');

/** The newest half of the jobs is deleted; the others are of all states and of three tools. */
function job(n: number): JobDocument {
  const createdAt = new Date(START + n);
  return {
    _id: `job-${String(n).padStart(5, '0')}`,
    accountId: 'a',
    keyId: 'k',
    tool: ['declutter', 'pool', 'roof'][n % 3] ?? '',
    status: n >= 3000 ? 'deleted' : (READABLE[(n >> 2) % 3] ?? 'failed'),
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: `job:${n}`,
    inputs: [],
    results: [],
    error: null,
    idempotencyKey: null,
    answered: [],
    withdrawn: [],
    createdAt,
    completedAt: null,
    processingMs: null,
  };
}

/**
 * The newest half of the account's deliveries was delivered; those that failed before are half
 * another account's.
 */
const delivery = (n: number): Stored<DeliveryRecord> => ({
  _id: `msg_${String(n).padStart(32, '0')}`,
  accountId: n < 3000 && n % 2 === 0 ? 'b' : 'a',
  jobId: `job-${String(n).padStart(5, '0')}`,
  type: 'job.completed',
  target: 'account',
  url: 'https://acme.example/hook',
  state:
    n >= 3000
      ? 'delivered'
      : ((['failed', 'failed', 'pending', 'cancelled'] as const)[(n >> 1) % 4] ?? 'failed'),
  reason: null,
  cycle: 'first',
  tries: 1,
  attempts: [],
  nextAttemptAt: null,
  createdAt: new Date(START + n),
});

beforeAll(async () => {
  await c.deliveries.insertMany(Array.from({ length: 6000 }, (_, n) => delivery(n)));
  await c.jobs.insertMany(Array.from({ length: 6000 }, (_, n) => job(n)));
  const rows = Array.from({ length: 6000 }, (_, n) => ({
    _id: `r${n}`,
    accountId: 'a',
    seq: n,
    at: new Date(),
  }));
  await mongo.db.collection<{ _id: string }>('ledger').insertMany(rows);
});
// A database with an active profiler cannot be dropped.
afterAll(() => mongo.db.command({ profile: 0 }));

async function profileOf(query: () => Promise<{ length: number }>) {
  await mongo.db.command({ profile: 2 });
  const { length } = await query();
  await mongo.db.command({ profile: 0 });
  const found = await profiles.find({ op: { $in: ['query', 'command'] } }).toArray();
  await profiles.drop();
  return { length, profile: found.filter(({ planSummary }) => planSummary !== undefined) };
}

function expectIndexed(profile: readonly Profile[]): void {
  expect(profile.length).toBeGreaterThan(0);
  for (const { planSummary, hasSortStage, docsExamined = 0, keysExamined = 0 } of profile) {
    expect(planSummary).toMatch(/^(IXSCAN|IDHACK)/);
    expect(hasSortStage).toBeUndefined();
    expect(docsExamined).toBeLessThanOrEqual(2 * LIMIT);
    expect(keysExamined).toBeLessThanOrEqual(3 * LIMIT);
  }
}

describe('a page of an account with thousands of deleted jobs walks an index', () => {
  test.each<[string, JobFilter]>([
    ['of all jobs', {}],
    ['of a status', { status: 'failed' }],
    ['of a tool', { tool: 'pool' }],
    ['of a tool and a status', { tool: 'pool', status: 'processing' }],
    ['of a period', { since: new Date(START + 500), until: new Date(START + 900) }],
    ['after a deleted job', { after: 'job-05000' }],
    ['after a job, of a tool in a period', { tool: 'roof', after: 'job-02000', since: new Date(START + 5) }],
  ])('%s', async (_what, filter) => {
    const list = () => stores.jobs.list('a', LIMIT, { status: READABLE, ...filter });
    const { length, profile } = await profileOf(list);
    expect(length).toBe(LIMIT);
    expectIndexed(profile);
    // The cursor and the page.
    expect(profile.length).toBeLessThanOrEqual(2);
  });

  test('and so does a page of the ledger', async () => {
    const { length, profile } = await profileOf(() => stores.ledger.page('a', 'r3000', LIMIT));
    expect(length).toBe(LIMIT);
    expectIndexed(profile);
  });
});

describe('a page of an account with thousands of deliveries walks an index', () => {
  const jobId = '00000000-0000-0000-0000-000000001001';
  test.each<[string, DeliveryFilter, number]>([
    ['of all deliveries', {}, LIMIT],
    ['of those that were delivered', { state: 'delivered' }, LIMIT],
    ['of the few that are pending', { state: 'pending' }, LIMIT],
    ['of those that failed, before thousands that did not', { state: 'failed' }, LIMIT],
    ['of a state, after a delivery of another', { state: 'cancelled', after: delivery(5001)._id }, LIMIT],
    ['of one job', { jobId }, 1],
    ['of one job in a state, after a delivery', { jobId, state: 'failed', after: delivery(5001)._id }, 1],
  ])('%s', async (_what, filter, found) => {
    const list = () => stores.deliveries.list('a', LIMIT, { attempts: 8, ...filter });
    const { length, profile } = await profileOf(list);
    expect(length).toBe(found);
    expectIndexed(profile);
    expect(profile.length).toBeLessThanOrEqual(2);
  });
});

test('removing old test events reads none of the other deliveries of the account', async () => {
  const { profile } = await profileOf(async () => {
    await stores.deliveries.dropOldTests('a');
    return [];
  });
  expectIndexed(profile);
  expect(profile.map(({ docsExamined }) => docsExamined)).toEqual([0]);
});
