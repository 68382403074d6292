import { describe, expect, test, vi } from 'vitest';
import type { ObjectRef } from '../../../lib/domain/records.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { draftOf, newClient, newKey, type Owner } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const LATER = () => new Date(Date.now() + 60_000);
const EARLIER = () => new Date(Date.now() - 60_000);

describe.each(storesUnderTest())('deletion and retention: %s', (_name, stores: Stores) => {
  const result = (jobId: string): ObjectRef => ({ bucket: 'results', key: `${jobId}-edited.jpeg` });

  async function accepted(client: Owner) {
    const draft = draftOf(client, { webhookUrl: 'https://example.com/hook' });
    await stores.jobs.accept(draft);
    return draft;
  }

  async function completed(client: Owner) {
    const draft = await accepted(client);
    const results = [result(draft.jobId)];
    await stores.jobs.complete(draft.jobId, { results, processingMs: 5 });
    return draft;
  }

  async function failed(client: Owner) {
    const draft = await accepted(client);
    await stores.jobs.fail(draft.jobId, { error: 'no', failureReason: 'no_result', processingMs: null });
    return draft;
  }

  async function queuedRemovals(): Promise<string[]> {
    const { refs } = await stores.removals.pending('', 1000);
    return refs.map(({ bucket, key }) => `${bucket}/${key}`);
  }

  test('a deleted job keeps its billing fields, and its objects are queued for removal', async () => {
    const client = await newClient(stores);
    const { jobId, input } = await completed(client);
    const job = await stores.jobs.get(jobId);
    const deleted = await stores.jobs.remove([jobId]);
    expect(deleted).toEqual([{ id: jobId, objects: [input, result(jobId)] }]);
    expect(await stores.jobs.find(client.accountId, jobId)).toBeUndefined();
    expect(await stores.jobs.get(jobId)).toEqual({
      ...job,
      status: 'deleted',
      deleted: { was: 'completed', at: expect.any(Date) },
      options: {},
      warnings: [],
      webhookUrl: null,
      error: null,
      inputs: [],
      results: [],
    });
    expect(await queuedRemovals()).toEqual(
      expect.arrayContaining([`inputs/${input.key}`, `results/${result(jobId).key}`]),
    );
    expect(await stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('concurrent calls delete each ended job once, and no other', async () => {
    const client = await newClient(stores);
    const [one, two, running] = [await completed(client), await failed(client), await accepted(client)];
    const ids = [one, two, running].map(({ jobId }) => jobId);
    const removed = await Promise.all(Array.from({ length: 5 }, () => stores.jobs.remove(ids)));
    expect(
      removed
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([one.jobId, two.jobId].toSorted());
    expect((await stores.jobs.get(running.jobId))?.status).toBe('processing');
    expect(await stores.jobs.remove(['unknown'])).toEqual([]);
    expect(await stores.jobs.remove([])).toEqual([]);
  });

  test('a deleted job can neither complete nor fail', async () => {
    const { jobId } = await completed(await newClient(stores));
    await stores.jobs.remove([jobId]);
    const deleted = { job: { status: 'deleted' } };
    expect(await stores.jobs.complete(jobId, { results: [], processingMs: 1 })).toMatchObject(deleted);
    expect(
      await stores.jobs.fail(jobId, { error: 'no', failureReason: 'no_result', processingMs: 1 }),
    ).toMatchObject(deleted);
  });

  test('a failed job remains readable after its input is dropped', async () => {
    const client = await newClient(stores);
    const [job, done] = [await failed(client), await completed(client)];
    expect(await stores.retention.failedWithInput(LATER(), 100)).toContain(job.jobId);
    expect(await stores.retention.failedWithInput(EARLIER(), 100)).not.toContain(job.jobId);
    expect(await stores.jobs.dropInputs([job.jobId, done.jobId])).toBe(1);
    expect(await stores.jobs.dropInputs([job.jobId])).toBe(0);
    expect(await stores.retention.failedWithInput(LATER(), 100)).not.toContain(job.jobId);
    expect(await stores.jobs.find(client.accountId, job.jobId)).toMatchObject({ error: 'no', inputs: [] });
    expect(await queuedRemovals()).toContain(`inputs/${job.input.key}`);
  });

  test('surplus returns the completed jobs beyond the newest ones, the oldest first', async () => {
    const client = await newClient(stores);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push((await completed(client)).jobId);
      await failed(client);
      // Jobs completed in the same millisecond would be ordered by id.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { surplus } = stores.retention;
    expect(await surplus(client.accountId, 5, 10)).toEqual([]);
    expect(await surplus(client.accountId, 2, 10)).toEqual(ids.slice(0, 3));
    expect(await surplus(client.accountId, 2, 2)).toEqual(ids.slice(0, 2));
    await stores.jobs.remove(ids.slice(0, 2));
    expect(await surplus(client.accountId, 2, 10)).toEqual(ids.slice(2, 3));
  });

  test('expired returns the ended jobs of one key, up to the limit', async () => {
    const client = await newClient(stores);
    const other = await newKey(stores, client.accountId);
    const [done, errored] = [await completed(client), await failed(client)];
    await accepted(client);
    await completed({ ...client, keyId: other.key.id });
    const { expired } = stores.retention;
    expect((await expired(client.keyId, LATER(), 10)).toSorted()).toEqual(
      [done.jobId, errored.jobId].toSorted(),
    );
    expect(await expired(client.keyId, LATER(), 1)).toHaveLength(1);
    expect(await expired(client.keyId, EARLIER(), 10)).toEqual([]);
  });

  test('keys with retention_days are ordered by id', async () => {
    const client = await newClient(stores);
    const second = await newKey(stores, client.accountId);
    await stores.keys.setRetention(second.key.id, 9);
    const keys = await stores.retention.keys('', 100);
    expect(keys).toContainEqual({ id: second.key.id, retentionDays: 9 });
    expect(keys.map(({ id }) => id)).not.toContain(client.keyId);
    expect(await stores.retention.keys(second.key.id, 100)).not.toContainEqual(
      expect.objectContaining({ id: second.key.id }),
    );
  });

  test('processing returns jobs with their workflow and age', async () => {
    const { jobId, workflowId } = await accepted(await newClient(stores));
    const { processing } = stores.retention;
    const job = { id: jobId, workflowId, ageMs: expect.any(Number) };
    const found = await processing(-60_000, '', 1000);
    expect(found).toContainEqual(job);
    expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).sort());
    expect(Math.abs(found.find(({ id }) => id === jobId)?.ageMs ?? Number.NaN)).toBeLessThan(60_000);
    expect(await processing(-60_000, jobId, 1000)).not.toContainEqual(job);
    expect(await processing(3_600_000, '', 1000)).toEqual([]);
  });

  test('oldestProcessing returns when the oldest job in progress was created', async () => {
    const { jobId } = await accepted(await newClient(stores));
    const oldest = await stores.retention.oldestProcessing();
    expect(oldest?.getTime()).toBeLessThanOrEqual(Number((await stores.jobs.get(jobId))?.createdAt));
    for (const { id } of await stores.retention.processing(-60_000, '', 1000))
      await stores.jobs.complete(id, { results: [], processingMs: 1 });
    expect(await stores.retention.oldestProcessing()).toBeNull();
  });

  test('ofClosedAccounts returns the ended jobs of closed accounts until they are deleted', async () => {
    const [closed, open] = [await newClient(stores), await newClient(stores)];
    const ids = [await completed(closed), await completed(closed), await failed(closed)].map(
      ({ jobId }) => jobId,
    );
    await completed(open);
    await stores.accounts.close(closed.accountId, 48);
    const { ofClosedAccounts } = stores.retention;
    expect((await ofClosedAccounts(10)).sort()).toEqual(ids.toSorted());
    expect(await ofClosedAccounts(2)).toHaveLength(2);
    const [stuck = '', ...others] = ids;
    expect((await ofClosedAccounts(10, [stuck])).sort()).toEqual(others.toSorted());
    await stores.jobs.remove(ids);
    expect(await ofClosedAccounts(10)).toEqual([]);
  });

  test('unowned returns the objects that belong to no job, by bucket and key', async () => {
    const { input, jobId } = await completed(await newClient(stores));
    const stray: ObjectRef = { bucket: 'inputs', key: 'stray.png' };
    const elsewhere: ObjectRef = { bucket: 'results', key: input.key };
    const refs = [input, stray, result(jobId), elsewhere];
    expect(await stores.retention.unowned(refs)).toEqual([stray, elsewhere]);
    expect(await stores.retention.unowned([])).toEqual([]);
  });

  test('the workflow of a deleted job is queued once, until it is marked as deleted', async () => {
    const client = await newClient(stores);
    const [one, two] = [await completed(client), await completed(client)];
    const queuedIds = async (after = '') => (await stores.histories.pending(after, 1000)).workflowIds;
    expect(await queuedIds()).not.toContain(one.workflowId);
    await stores.jobs.remove([one.jobId, two.jobId]);
    expect(await queuedIds()).toEqual(expect.arrayContaining([one.workflowId, two.workflowId]));
    const { workflowIds, next } = await stores.histories.pending('', 1);
    expect(workflowIds).toHaveLength(1);
    expect(await queuedIds(next ?? '')).not.toContain(workflowIds[0]);
    await stores.histories.markDeleted([one.workflowId]);
    await stores.histories.markDeleted([one.workflowId, 'unknown']);
    expect(await queuedIds()).toContain(two.workflowId);
    expect(await queuedIds()).not.toContain(one.workflowId);
  });

  test('markRemoved deletes the rows of removed objects, and stores the failed ones', async () => {
    const ref = (key: string): ObjectRef => ({ bucket: 'results', key });
    await stores.removals.enqueue([ref('a'), ref('b')]);
    await stores.removals.enqueue([ref('b')]);
    await stores.removals.markRemoved(
      [ref('a'), ref('b'), ref('c')],
      [
        { ref: ref('b'), reason: 'unavailable' },
        { ref: ref('c'), reason: 'unavailable' },
      ],
    );
    const rows = (await queuedRemovals()).filter((id) => /^results\/[abc]$/.test(id));
    expect(rows).toEqual(['results/b', 'results/c']);
    const { refs, next } = await stores.removals.pending('', 1);
    expect(refs).toHaveLength(1);
    expect((await stores.removals.pending(next ?? '', 1000)).refs).not.toContainEqual(refs[0]);
  });
});

describe('in MongoDB', () => {
  const stores = createMongoStores(databaseOfFile());

  test('processing is by the clock of the database, whatever that of the process', async () => {
    await stores.jobs.accept(draftOf(await newClient(stores)));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 26 * 3_600_000 });
    const found = await stores.retention.processing(3_600_000, '', 10).finally(() => vi.useRealTimers());
    expect(found).toEqual([]);
  });
});
