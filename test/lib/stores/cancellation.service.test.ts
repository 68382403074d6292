import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { balanceOf, draftOf, newClient, type Owner } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const END = { error: 'Cancelled.', failureReason: 'cancelled', processingMs: null } as const;
const call = () => ({ id: randomUUID(), generator: 'bfl', model: 'flux-2-pro', mayBeCharged: true });
const RESULT = { results: [], processingMs: 1 };

describe.each(storesUnderTest())('the cancellation of a job in %s', (_, stores) => {
  const { jobs, generatorCalls, ledger, accounts, deliveries } = stores;
  const cancel = ({ accountId }: Owner, jobId: string) => jobs.cancel(accountId, jobId, END);

  async function accept(owner?: Owner) {
    const client = owner ?? (await newClient(stores));
    const draft = draftOf(client);
    await jobs.accept(draft);
    return { client, jobId: draft.jobId };
  }
  /** The charge was refunded once, or not at all. */
  async function expectRefunds(client: Owner, refunds: number) {
    const rows = await ledger.list(client.accountId);
    expect(rows.filter(({ kind }) => kind === 'refund')).toHaveLength(refunds);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  }

  test('fails and refunds it once, plans its webhook, counts it, and lets it ask no generator', async () => {
    const { client, jobId } = await accept();
    await accounts.setWebhook(client.accountId, { url: 'https://a.example/' });
    const job = { id: jobId, status: 'failed', failureReason: 'cancelled', error: 'Cancelled.' };
    expect(await cancel(client, jobId)).toMatchObject({ cancelled: true, job });
    expect(await cancel(client, jobId)).toMatchObject({ cancelled: false, job });
    expect(await balanceOf(stores, client)).toBe(50);
    await expectRefunds(client, 1);
    expect((await accounts.get(client.accountId)).failures?.jobs).toBe(1);
    expect(await deliveries.list(client.accountId, 10)).toMatchObject([{ jobId, type: 'job.failed' }]);
    expect(await generatorCalls.begin(jobId, call(), [])).toBe('ended');
    expect(await generatorCalls.beginLocal(jobId)).toBe(false);
  });

  test.each<[string, (jobId: string) => Promise<unknown>]>([
    ['a call has begun', (jobId) => generatorCalls.begin(jobId, call(), [])],
    ['a local generator renders', (jobId) => generatorCalls.beginLocal(jobId)],
    [
      'a call has failed',
      async (jobId) => {
        const failed = { ...call(), mayBeCharged: false };
        await generatorCalls.begin(jobId, failed, []);
        await generatorCalls.update(jobId, failed.id, { outcome: 'unavailable' });
      },
    ],
  ])('is refused when %s, and changes nothing', async (_when, begin) => {
    const { client, jobId } = await accept();
    await begin(jobId);
    expect(await cancel(client, jobId)).toBe('begun');
    expect(await jobs.get(jobId)).toMatchObject({ status: 'processing' });
    await expectRefunds(client, 0);
    await generatorCalls.beginLocal(jobId);
    const listed = await generatorCalls.list(jobId);
    expect(await generatorCalls.begin(jobId, { ...call(), generator: 'fal' }, listed)).toBe('begun');
    expect(await jobs.complete(jobId, RESULT)).toMatchObject({ job: { status: 'completed' } });
    expect(await cancel(client, jobId)).toMatchObject({ cancelled: false, job: { status: 'completed' } });
  });

  test('finds no job that is foreign, unknown, deleted or voided', async () => {
    const { client, jobId } = await accept();
    expect(await cancel(await newClient(stores), jobId)).toBeUndefined();
    expect(await cancel(client, randomUUID())).toBeUndefined();
    await cancel(client, jobId);
    await jobs.remove([jobId]);
    expect(await cancel(client, jobId)).toBeUndefined();
    const other = await accept(client);
    await jobs.void(other.jobId, other.jobId);
    expect(await cancel(client, other.jobId)).toBeUndefined();
    await expectRefunds(client, 1);
  });

  test.each<[string, (jobId: string) => Promise<unknown>, begun: unknown]>([
    ['the first call', (jobId) => generatorCalls.begin(jobId, call(), []), 'begun'],
    ['the record of a local render', (jobId) => generatorCalls.beginLocal(jobId), true],
  ])('and %s exclude each other', async (_what, begin, begun) => {
    const client = await newClient(stores);
    let cancelled = 0;
    for (let n = 0; n < 40; n += 1) {
      const { jobId } = await accept(client);
      const both = [() => cancel(client, jobId), () => begin(jobId)];
      const order = n % 2 === 0 ? both : both.toReversed();
      const outcomes = await Promise.all(order.map((each) => each()));
      const [outcome, recorded] = n % 2 === 0 ? outcomes : outcomes.toReversed();
      if (outcome !== 'begun') cancelled += 1;
      expect(recorded).toEqual(outcome === 'begun' ? begun : expect.toBeOneOf(['ended', false]));
    }
    await expectRefunds(client, cancelled);
  });

  test('and a completion exclude each other, and so do several cancellations', async () => {
    const client = await newClient(stores);
    let completed = 0;
    for (let n = 0; n < 20; n += 1) {
      const { jobId } = await accept(client);
      const [end, ...cancels] = await Promise.all([
        jobs.complete(jobId, RESULT),
        ...Array.from({ length: 3 }, () => cancel(client, jobId)),
      ]);
      const ended = cancels.filter((each) => typeof each === 'object' && each.cancelled);
      if (end.job.status === 'completed') completed += 1;
      expect(ended).toHaveLength(end.job.status === 'completed' ? 0 : 1);
    }
    expect(await balanceOf(stores, client)).toBe(50 - completed);
    await expectRefunds(client, 20 - completed);
  });

  test('and the reversal of a request that ended in 5xx pay back once', async () => {
    const client = await newClient(stores);
    for (let n = 0; n < 10; n += 1) {
      const { jobId } = await accept(client);
      await Promise.all([cancel(client, jobId), jobs.void(jobId, jobId)]);
      expect(await jobs.find(client.accountId, jobId)).toBeUndefined();
    }
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });
});
