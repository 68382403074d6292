import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { collections, createIndexes, type JobDocument, type Stored } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import type { LedgerRow } from '../../stores/records.ts';

/** What MongoDB notes of an operation; see its manual under "Database Profiler Output". */
interface Profile {
  nreturned: number;
  hasSortStage?: boolean;
  docsExamined: number;
}

const JOBS = 50_000;
const BALANCE = 7;
const database = `test_${randomUUID().slice(0, 8)}`;
const mongo = openMongo(loadConfig({ ...inject('env'), MONGODB_DATABASE: database }).mongo);
const c = collections(mongo.db);
const { ledger } = createMongoStores(mongo);
const accountId = randomUUID();
const packId = randomUUID();
const at = new Date();
const jobIds = Array.from({ length: JOBS }, () => randomUUID());
/** One whose rows and whose place among the jobs lie far behind the first page. */
const victim = (n: number) => jobIds[n] ?? '';

beforeAll(async () => {
  await createIndexes(mongo.db);
  const { id } = await createMongoStores(mongo).accounts.create({
    name: 'Large',
    webhookUrl: null,
    webhookSecret: 'whsec_a',
  });
  await c.accounts.deleteOne({ _id: id });
  const images = JOBS + BALANCE;
  await c.packs.insertOne({
    ...{ _id: packId, accountId, images, refunded: 0, refunds: 0, reference: null, createdAt: at },
  });
  const bought = rowOf('pack', packId, 1, images, images);
  const charges = jobIds.map((jobId, n) => rowOf('charge', jobId, n + 2, -1, images - n - 1));
  for (const part of parts([bought, ...charges])) await c.ledger.insertMany(part, { ordered: false });
  for (const part of parts(jobIds.map(jobOf))) await c.jobs.insertMany(part, { ordered: false });
  await c.accounts.insertOne({
    ...{ _id: accountId, name: 'Large', status: 'active', balance: BALANCE, seq: JOBS + 1, keysIssued: 1 },
    webhook: { url: null, secret: '', previousSecret: null, previousUntil: null, disabledReason: null },
    createdAt: at,
  });
}, 120_000);
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo[Symbol.asyncDispose]();
});

function rowOf(
  kind: LedgerRow['kind'],
  subject: string,
  seq: number,
  delta: number,
  balanceAfter: number,
): Stored<LedgerRow> {
  const subjects = kind === 'pack' ? { jobId: null, packId: subject } : { jobId: subject, packId: null };
  return { _id: `${kind}:${subject}`, accountId, kind, seq, delta, balanceAfter, ...subjects, at };
}

/** Thousands are created in the same millisecond. */
function jobOf(_id: string, n: number): JobDocument {
  return {
    ...{ _id, accountId, keyId: 'key', tool: 'declutter', status: 'completed', imagesCharged: 1 },
    ...{ options: {}, warnings: [], webhookUrl: null, workflowId: `job:${_id}`, inputs: [], results: [] },
    ...{ error: null, createdAt: new Date(at.getTime() + (n >> 12)), completedAt: at, processingMs: 1 },
  };
}

function parts<T>(all: T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(all.length / 5000) }, (_, n) => n * 5000);
  return starts.map((start) => all.slice(start, start + 5000));
}

test('an audit reads the books of a large account in pieces, without a sort', {
  timeout: 120_000,
}, async () => {
  // The usual size of 1 MB keeps the last few operations only.
  await mongo.db.createCollection('system.profile', { capped: true, size: 64 * 2 ** 20 });
  await mongo.db.command({ profile: 2, filter: { ns: { $ne: `${database}.system.profile` } } });
  const breaches = await ledger.audit(accountId);
  await mongo.db.command({ profile: 0 });
  expect(breaches).toEqual([]);
  const reads = { op: { $in: ['query', 'getmore'] } };
  const profiles = await mongo.db.collection<Profile>('system.profile').find(reads).toArray();
  expect(profiles.length).toBeGreaterThan(100);
  expect(Math.max(...profiles.map(({ nreturned }) => nreturned))).toBeLessThanOrEqual(1000);
  expect(profiles.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});

test('and finds every breach in them, wherever it lies', { timeout: 120_000 }, async () => {
  const [gone, changed, unpaid, lost, refunded, misnamed] = [
    9000, 17_000, 23_000, 31_000, 39_000, 47_000,
  ].map(victim);
  await c.ledger.deleteOne({ _id: `charge:${gone}` });
  await c.ledger.updateOne({ _id: `charge:${changed}` }, { $set: { balanceAfter: 1_000_000 } });
  await c.jobs.updateOne({ _id: unpaid ?? '' }, { $set: { imagesCharged: 2 } });
  await c.jobs.deleteOne({ _id: lost ?? '' });
  await c.jobs.updateOne({ _id: refunded ?? '' }, { $set: { status: 'failed' } });
  await c.ledger.updateOne({ _id: `charge:${misnamed}` }, { $set: { jobId: victim(1) } });
  await c.packs.updateOne({ _id: packId }, { $set: { refunded: 3 } });
  await c.accounts.updateOne({ _id: accountId }, { $inc: { seq: 1, balance: 1 } });
  const before = JOBS + BALANCE - 17_000;
  const sentences = [
    `the balance is ${BALANCE + 1}, but the ledger ends at ${BALANCE}`,
    `the account counts ${JOBS + 2} rows, but the last row is number ${JOBS + 1}`,
    // What is gone was number 9,002: the next row finds another number and another sum.
    `row charge:${victim(9001)} is number 9003, not 9002`,
    `row charge:${victim(9001)} says ${JOBS + BALANCE - 9002}, but the sum is ${JOBS + BALANCE - 9001}`,
    `row charge:${changed} says 1000000, but the sum is ${before - 1}`,
    `row charge:${victim(17_001)} says ${before - 2}, but the sum is 999999`,
    `row charge:${misnamed} does not name its cause`,
    `a charge stands for job ${lost}, which does not exist`,
    `job ${gone} has 0 charges that do not come to 1`,
    `job ${unpaid} has 1 charges that do not come to 2`,
    `job ${refunded} failed without a refund`,
    `job ${misnamed} has 0 charges that do not come to 1`,
    `pack ${packId} has ${JOBS + BALANCE - 3} images left, but ${JOBS + BALANCE} are posted for it`,
  ];
  const found = await ledger.audit();
  expect(found.sort()).toEqual(sentences.map((sentence) => `account ${accountId}: ${sentence}`).sort());
});
