import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { LedgerRow } from '../../../lib/domain/records.ts';
import { collections, type JobDocument, type Stored } from '../../../lib/stores/mongo/documents.ts';
import { prepareDatabase } from '../../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';

/** A document of MongoDB's profiler; see "Database Profiler Output" in its manual. */
interface Profile {
  nreturned: number;
  hasSortStage?: boolean;
  docsExamined: number;
}

const JOBS = 50_000;
const BALANCE = 7;
const mongo = databaseOfFile();
const c = collections(mongo.db);
const { ledger } = createMongoStores(mongo);
const accountId = randomUUID();
const packId = randomUUID();
const at = new Date();
const jobIds = Array.from({ length: JOBS }, () => randomUUID());
/** A job id; `n` is its position in the ledger and among the jobs. */
const nthJob = (n: number) => jobIds[n] ?? '';

/** The large account, without what an earlier test has changed. */
beforeEach(async () => {
  await mongo.db.dropDatabase();
  await prepareDatabase(mongo.db);
  const { id } = await createMongoStores(mongo).accounts.create({
    name: 'Large',
    webhookUrl: null,
    webhookSecret: 'whsec_a',
  });
  await c.accounts.deleteOne({ _id: id });
  const images = JOBS + BALANCE;
  await c.packs.insertOne({
    _id: packId,
    accountId,
    images,
    refunded: 0,
    refunds: 0,
    reference: null,
    createdAt: at,
  });
  const purchase = rowOf('pack', packId, 1, images, images);
  const charges = jobIds.map((jobId, n) => rowOf('charge', jobId, n + 2, -1, images - n - 1));
  for (const chunk of chunksOf([purchase, ...charges])) await c.ledger.insertMany(chunk, { ordered: false });
  for (const chunk of chunksOf(jobIds.map(jobOf))) await c.jobs.insertMany(chunk, { ordered: false });
  await c.accounts.insertOne({
    _id: accountId,
    name: 'Large',
    status: 'active',
    balance: BALANCE,
    seq: JOBS + 1,
    keysIssued: 1,
    webhook: { url: null, secret: '', previousSecret: null, previousUntil: null, disabledReason: null },
    createdAt: at,
  });
}, 120_000);

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

/** A completed job; thousands have the same `createdAt`. */
function jobOf(_id: string, n: number): JobDocument {
  return {
    _id,
    accountId,
    keyId: 'key',
    tool: 'declutter',
    status: 'completed',
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: `job:${_id}`,
    inputs: [],
    results: [],
    error: null,
    idempotencyKey: null,
    answered: [_id],
    withdrawn: [],
    createdAt: new Date(at.getTime() + (n >> 12)),
    completedAt: at,
    processingMs: 1,
  };
}

function chunksOf<T>(all: T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(all.length / 5000) }, (_, n) => n * 5000);
  return starts.map((start) => all.slice(start, start + 5000));
}

test('an audit reads a large account in pages, without an in-memory sort', {
  timeout: 120_000,
}, async () => {
  // The default size of 1 MB would keep only the last few operations.
  await mongo.db.createCollection('system.profile', { capped: true, size: 64 * 2 ** 20 });
  await mongo.db.command({ profile: 2, filter: { ns: { $ne: `${mongo.db.databaseName}.system.profile` } } });
  const breaches = await ledger.audit(accountId);
  await mongo.db.command({ profile: 0 });
  expect(breaches).toEqual([]);
  const reads = { op: { $in: ['query', 'getmore'] } };
  const profiles = await mongo.db.collection<Profile>('system.profile').find(reads).toArray();
  expect(profiles.length).toBeGreaterThan(100);
  expect(Math.max(...profiles.map(({ nreturned }) => nreturned))).toBeLessThanOrEqual(1000);
  expect(profiles.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});

test('an audit of a large account finds every breach', { timeout: 120_000 }, async () => {
  const [withoutRow, changed, underpaid, missing, unrefunded, misnamed] = [
    9000, 17_000, 23_000, 31_000, 39_000, 47_000,
  ].map(nthJob);
  await c.ledger.deleteOne({ _id: `charge:${withoutRow}` });
  await c.ledger.updateOne({ _id: `charge:${changed}` }, { $set: { balanceAfter: 1_000_000 } });
  await c.jobs.updateOne({ _id: underpaid ?? '' }, { $set: { imagesCharged: 2 } });
  await c.jobs.deleteOne({ _id: missing ?? '' });
  await c.jobs.updateOne({ _id: unrefunded ?? '' }, { $set: { status: 'failed' } });
  await c.ledger.updateOne({ _id: `charge:${misnamed}` }, { $set: { jobId: nthJob(1) } });
  await c.packs.updateOne({ _id: packId }, { $set: { refunded: 3 } });
  await c.accounts.updateOne({ _id: accountId }, { $inc: { seq: 1, balance: 1 } });
  const balanceBefore = JOBS + BALANCE - 17_000;
  const sentences = [
    `the balance is ${BALANCE + 1}, but the ledger ends at ${BALANCE}`,
    `the account counts ${JOBS + 2} rows, but the last row is number ${JOBS + 1}`,
    // The deleted row had number 9002, so the next row has an unexpected number and balance.
    `row charge:${nthJob(9001)} has number 9003, expected 9002`,
    `row charge:${nthJob(9001)} has the balance ${JOBS + BALANCE - 9002}, expected ${JOBS + BALANCE - 9001}`,
    `row charge:${changed} has the balance 1000000, expected ${balanceBefore - 1}`,
    `row charge:${nthJob(17_001)} has the balance ${balanceBefore - 2}, expected 999999`,
    `row charge:${misnamed} of the kind charge has another id than charge:${nthJob(1)}`,
    `job ${missing} does not exist, but has a charge of 1, no refund, no void, expected one reversal of its charge`,
    `job ${withoutRow} (completed) has no charge, expected a charge of 1`,
    `job ${underpaid} (completed) has a charge of 1, expected a charge of 2`,
    `job ${unrefunded} (failed) has no refund, expected a refund of 1`,
    `pack ${packId} has 3 images refunded, but rows of 0`,
  ];
  const found = await ledger.audit();
  expect(found.sort()).toEqual(sentences.map((sentence) => `account ${accountId}: ${sentence}`).sort());
});
