import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { JobFeed, JobNews } from '../../../lib/stores/job-feed.ts';
import { collections, type JobDocument } from '../../../lib/stores/mongo/documents.ts';
import { openJobFeed } from '../../../lib/stores/mongo/job-feed.ts';
import { startLink } from '../../faults/setup/link.ts';
import { closers } from '../../setup/closers.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { ownConfig } from '../../setup/own-config.ts';

const open = closers();
afterAll(() => open.close());

const config = ownConfig();
const { db } = databaseOfFile(config);
const { jobs } = collections(db);
const address = new URL(config.mongo.url);
const link = open.use(await startLink({ host: address.hostname, port: Number(address.port) }));
const url = `mongodb://127.0.0.1:${link.port}/?directConnection=true`;
let feed: JobFeed;
const failures: unknown[] = [];

beforeEach(async () => {
  failures.length = 0;
  feed = open.use(openJobFeed({ ...config.mongo, url }, (error) => failures.push(error)));
  await untilOpen();
});

/** A job that is processing, with the fields that the feed reads. */
const job = () => ({ _id: randomUUID(), accountId: 'a', status: 'processing' }) as JobDocument;

async function insertJobs(count: number): Promise<string[]> {
  const documents = Array.from({ length: count }, job);
  await jobs.insertMany(documents);
  return documents.map(({ _id }) => _id);
}

async function insertJob(): Promise<string> {
  const [jobId = ''] = await insertJobs(1);
  return jobId;
}

const endJobs = (ids: readonly string[]) =>
  jobs.updateMany({ _id: { $in: [...ids] } }, { $set: { status: 'completed', processingMs: 7 } });

function listen(jobId: string): JobNews[] {
  const told: JobNews[] = [];
  feed.subscribe(jobId, (news) => told.push(news));
  return told;
}

/** Waits until the stream is open: it has told of a job. */
async function untilOpen(): Promise<void> {
  const jobId = await insertJob();
  const told = listen(jobId);
  await endJobs([jobId]);
  await expect.poll(() => told).toHaveLength(1);
}

/** The ids of the cursors of change streams on the jobs of this file. */
async function cursors(): Promise<unknown[]> {
  const pipeline = [{ $currentOp: { idleCursors: true } }, { $match: { ns: `${db.databaseName}.jobs` } }];
  const { cursor } = await db.admin().command({ aggregate: 1, pipeline, cursor: {} });
  return cursor.firstBatch.flatMap((operation: { cursor?: { cursorId: unknown } }) =>
    operation.cursor === undefined ? [] : [operation.cursor.cursorId],
  );
}

/** How often the collection was queried so far. */
async function queries(): Promise<number> {
  const { totals } = await db.admin().command({ top: 1 });
  return totals[`${db.databaseName}.jobs`].queries.count;
}

test('when the cursor is killed, what ended meanwhile is read by one query', async () => {
  const ids = await insertJobs(3);
  const told = ids.map(listen);
  const [before, streams] = [await queries(), await cursors()];
  expect(streams).not.toEqual([]);
  await db.command({ killCursors: 'jobs', cursors: streams });
  await endJobs(ids);
  for (const each of told) await expect.poll(() => each).toMatchObject([{ status: 'completed' }]);
  expect(await queries()).toBe(before + 1);
  expect(failures).toMatchObject([{ codeName: 'CursorKilled' }]);
});

test('after a broken connection the stream resumes where it was, and tells what ended meanwhile', async () => {
  const [ended = '', voided = '', running = '', later = ''] = await insertJobs(4);
  const before = await queries();
  const told = [ended, voided, running, later].map(listen);
  link.set('cut');
  await endJobs([ended]);
  await jobs.replaceOne({ _id: voided }, { status: 'voided' } as never);
  const meanwhile = listen(running);
  link.set('pass');
  await expect.poll(() => told[0]).toMatchObject([{ status: 'completed', processingMs: 7 }]);
  await expect.poll(() => told[1]).toEqual(['gone']);
  expect([told[2], meanwhile]).toEqual([[], []]);
  await endJobs([later, running]);
  await expect.poll(() => [told[2], meanwhile, told[3]].map((each) => each?.length)).toEqual([1, 1, 1]);
  expect([await queries(), failures]).toEqual([before, []]);
});

test('what ended before the stream is open is told, and of a job that does not exist that it is gone', async () => {
  feed = open.use(openJobFeed(config.mongo));
  const jobId = await insertJob();
  await endJobs([jobId]);
  const told = [jobId, randomUUID()].map(listen);
  await expect.poll(() => told).toMatchObject([[{ status: 'completed' }], ['gone']]);
});

test('a feed goes on after the collection was dropped', async () => {
  const told = listen(await insertJob());
  await jobs.drop();
  await expect.poll(() => told).toEqual(['gone']);
  await untilOpen();
});

test('5,000 listeners cost no query, neither while they wait nor when their jobs end', async () => {
  const ids = await insertJobs(5000);
  const before = await queries();
  const told = ids.map(listen);
  const others = ids.map(listen);
  await endJobs(ids);
  await expect.poll(() => [...told, ...others].filter((each) => each.length === 1)).toHaveLength(10_000);
  expect(await queries()).toBe(before);
});
