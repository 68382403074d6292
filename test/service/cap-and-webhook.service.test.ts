import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let receiver: Receiver;
let image_base64: string;
/** What the deletion of jobs waits for, or fails with. */
let beforeRemoval: () => Promise<void> = async () => {};

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  const { stores } = service;
  const remove: typeof stores.jobs.remove = (ids) => beforeRemoval().then(() => stores.jobs.remove(ids));
  open.use(
    await service.startWorker({
      stores: { ...stores, jobs: { ...stores.jobs, remove } },
      generators: scriptedGenerators({}),
      retention: { completedJobsPerAccount: 1 },
    }),
  );
});
afterAll(() => open.close());

/** Two jobs of an account that keeps one. */
async function twoJobs() {
  const client = await clientWith(service, receiver.url);
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
    ids.push((await ended(service.app, client.headers, created.json().job_id)).job_id);
  }
  const [first = '', second = ''] = ids;
  const firstIs = (status: string) =>
    vi.waitFor(async () => expect((await service.stores.jobs.get(first))?.status).toBe(status), 60_000);
  return { second, firstIs, workflow: service.temporal.workflow.getHandle(`job:${second}`) };
}

test('a job that cannot be deleted does not hold back the webhook of the job that exceeds the limit', async () => {
  receiver.behave(204);
  beforeRemoval = () => Promise.reject(new Error('The row is bad.'));
  const { second, firstIs, workflow } = await twoJobs();
  await deliveryIn(service, second, 'delivered');
  beforeRemoval = async () => {};
  await firstIs('deleted');
  expect(await workflow.result()).toMatchObject({ status: 'completed' });
});

test('a deletion that does not respond does not either', async () => {
  receiver.behave(204);
  let respond = () => {};
  const responding = new Promise<void>((resolve) => {
    respond = resolve;
  });
  beforeRemoval = () => responding;
  const { second, firstIs, workflow } = await twoJobs();
  await deliveryIn(service, second, 'delivered');
  respond();
  await firstIs('deleted');
  expect(await workflow.result()).toMatchObject({ status: 'completed' });
});

test('a receiver that does not respond does not hold back the limit', async () => {
  receiver.behave(() => undefined);
  const { second, firstIs, workflow } = await twoJobs();
  await firstIs('deleted');
  expect(await service.stores.deliveries.list(null, 1, { jobId: second })).toMatchObject([
    { state: 'pending' },
  ]);
  await service.stores.jobs.remove([second]);
  await service.deps.jobGateway.notifyDeleted(workflow.workflowId);
  expect(await workflow.result()).toMatchObject({ status: 'completed' });
});
