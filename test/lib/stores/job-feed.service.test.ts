import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JobFeed, JobNews } from '../../../lib/stores/job-feed.ts';
import { openJobFeed } from '../../../lib/stores/mongo/job-feed.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { createFakeJobFeed } from '../../fakes/job-feed.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { closers } from '../../setup/closers.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { ownConfig } from '../../setup/own-config.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const open = closers();
afterAll(() => open.close());

const own = ownConfig();
const fake = createFakeStores();
const real = createMongoStores(databaseOfFile(own));

const RESULT = { results: [{ bucket: 'results' as const, key: 'a/b.jpeg' }], processingMs: 2000 };
const FAILURE = { error: 'No.', failureReason: 'safety' as const, processingMs: 300 };

describe.each<[string, Stores, JobFeed]>([
  ['the fake', fake, open.use(createFakeJobFeed(fake.books))],
  ['the MongoDB adapter', real, open.use(openJobFeed(own.mongo))],
])('the job feed: %s', (_name, stores, feed) => {
  async function accept() {
    const draft = draftOf(await newClient(stores));
    await stores.jobs.accept(draft);
    return draft;
  }

  /** What a listener is told, in order. */
  function listen(jobId: string) {
    const told: JobNews[] = [];
    return { told, unsubscribe: feed.subscribe(jobId, (news) => told.push(news)) };
  }

  // The first listener opens the stream. What happens while it opens has tests of its own.
  beforeAll(() =>
    vi.waitFor(async () => {
      const { jobId } = await accept();
      const { told } = listen(jobId);
      await stores.jobs.complete(jobId, RESULT);
      await vi.waitFor(() => expect(told).toHaveLength(1), 2000);
    }, 20_000),
  );

  test.each<[string, (jobId: string) => Promise<unknown>]>([
    ['completes', (jobId) => stores.jobs.complete(jobId, RESULT)],
    ['fails', (jobId) => stores.jobs.fail(jobId, FAILURE)],
  ])('a listener is told once when its job %s, with all that has changed', async (_what, end) => {
    const { jobId } = await accept();
    const before = await stores.jobs.get(jobId);
    const [first, second] = [listen(jobId), listen(jobId)];
    await end(jobId);
    for (const { told } of [first, second]) {
      await expect.poll(() => told).toHaveLength(1);
      expect({ ...before, ...(told[0] as object) }).toEqual(await stores.jobs.get(jobId));
    }
    await stores.jobs.remove([jobId]);
    const later = await accept();
    const other = listen(later.jobId);
    await end(later.jobId);
    await expect.poll(() => other.told).toHaveLength(1);
    expect([first.told.length, second.told.length]).toEqual([1, 1]);
  });

  test('a cancelled job is told as any other failure, with its transaction', async () => {
    const { jobId, accountId } = await accept();
    const { told } = listen(jobId);
    await stores.jobs.cancel(accountId, jobId, { ...FAILURE, failureReason: 'cancelled' });
    await expect.poll(() => told).toMatchObject([{ status: 'failed', failureReason: 'cancelled' }]);
  });

  test('a job that is voided is gone', async () => {
    const { jobId } = await accept();
    const { told } = listen(jobId);
    await stores.jobs.void(jobId, jobId);
    await expect.poll(() => told).toEqual(['gone']);
  });

  test('acceptances, replays and the ends of other jobs tell nothing, and neither does one that unsubscribed', async () => {
    const [{ jobId }, other] = [await accept(), await accept()];
    const [listener, gone] = [listen(jobId), listen(other.jobId)];
    await stores.jobs.recordReturned(jobId, randomUUID());
    gone.unsubscribe();
    gone.unsubscribe();
    const last = listen(other.jobId);
    await stores.jobs.complete(other.jobId, RESULT);
    await expect.poll(() => last.told).toHaveLength(1);
    expect([listener.told, gone.told]).toEqual([[], []]);
    listener.unsubscribe();
  });
});
