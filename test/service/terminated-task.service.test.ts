import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage, sampleJpeg } from '../setup/images.ts';
import { reconciled } from '../setup/reconcile.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const open = closers();
let upstreams: Upstreams;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, { GENERATORS: 'replicate' }));
  image_base64 = await sampleImage();
  upstreams.of('replicate').returns(await sampleJpeg(64, 48, '#2040a0'));
  open.use(await service.startWorker({ reconcile: { lostJobMs: 0 } }));
  open.defer(() => upstreams.of('replicate').release());
});
afterAll(() => open.close());

test('the task of a job whose workflow was terminated is cancelled upstream, also after an upstream was away', async () => {
  const replicate = upstreams.of('replicate');
  replicate.hold();
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
  const { job_id } = created.json<Job & { job_id: string }>();
  const calls = () => service.stores.generatorCalls.list(job_id);
  await vi.waitFor(
    async () => expect(await calls()).toMatchObject([{ task: { id: 'p1' }, outcome: null }]),
    60_000,
  );
  await service.temporal.workflow.getHandle(`job:${job_id}`).terminate('by an operator');

  replicate.replies.cancel = { status: 503 };
  expect(await reconciled(service)).toMatchObject({
    refunded: 1,
    callsCancelled: 0,
    callsLeft: 1,
    failed: 0,
  });
  expect(await ended(service.app, client.headers, job_id)).toMatchObject({ status: 'failed' });
  replicate.replies.cancel = { status: 200 };
  expect(await reconciled(service)).toMatchObject({ refunded: 0, callsCancelled: 1, callsLeft: 0 });
  expect(await calls()).toMatchObject([{ outcome: 'cancelled', error: null }]);
  expect([replicate.submissions(), replicate.cancellations()]).toEqual([1, 2]);
  expect(await reconciled(service)).toMatchObject({ callsCancelled: 0, callsLeft: 0 });
  expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
});
