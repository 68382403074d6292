import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { redeliver } from '../../operator/deliveries.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import { firstResetPoint, reset, resetPoints } from '../setup/reset.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
const held = blockedRender();
const generators = scriptedGenerators({
  pool: held.render,
  'pool-removal': async () => {
    throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
  },
});
let receiver: Receiver;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  open.use(await service.startWorker({ generators }));
  open.defer(async () => held.release());
});
afterAll(() => open.close());

async function create(tool: string) {
  const client = await clientWith(service, receiver.url);
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  expect(created.statusCode).toBe(201);
  const jobId: string = created.json().job_id;
  return { ...client, jobId, workflowId: `job:${jobId}` };
}

/** The job, its ledger rows and its webhook exist exactly once. */
async function expectOnce({ accountId, jobId }: { accountId: string; jobId: string }, rows: string[]) {
  const ledger = (await service.stores.ledger.list(accountId)).filter((row) => row.jobId !== null);
  expect(ledger.map(({ id }) => id)).toEqual(rows.map((kind) => `${kind}:${jobId}`));
  expect((await service.stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
  expect(receiver.receivedFor(jobId)).toHaveLength(1);
}

test.each([
  { status: 'completed', tool: 'declutter', rows: ['charge'] },
  { status: 'failed', tool: 'pool-removal', rows: ['charge', 'refund'] },
])(
  'resetting the workflow of a $status job after its end, to any point, does not change the job',
  async ({ status, tool, rows }) => {
    const job = await create(tool);
    const original = await ended(service.app, job.headers, job.jobId);
    expect(original.status).toBe(status);
    await service.temporal.workflow.getHandle(job.workflowId).result();
    const points = await resetPoints(service.temporal, job.workflowId);
    expect(points.length).toBeGreaterThan(1);
    for (const point of points) {
      await reset(service.temporal, point);
      await service.temporal.workflow.getHandle(job.workflowId).result();
      expect(await ended(service.app, job.headers, job.jobId)).toEqual(original);
      await expectOnce(job, rows);
    }
  },
);

test('a workflow that is reset while its image is rendered completes the job, charged once', async () => {
  const job = await create('pool');
  await reset(service.temporal, await firstResetPoint(service.temporal, job.workflowId));
  held.release();
  const done = await ended(service.app, job.headers, job.jobId);
  expect(done.status).toBe('completed');
  await service.temporal.workflow.getHandle(job.workflowId).result();
  await expectOnce(job, ['charge']);
});

test('a workflow that is reset while its event is redelivered leaves that to the redelivery', async () => {
  receiver.behave(410);
  const job = await create('declutter');
  const { id, accountId } = await deliveryIn(service, job.jobId, 'failed');
  const workflow = service.temporal.workflow.getHandle(job.workflowId);
  await workflow.result();
  const point = await firstResetPoint(service.temporal, job.workflowId);
  let respond = () => {};
  const responding = new Promise<void>((resolve) => {
    respond = resolve;
  });
  receiver.behave((_, response) => {
    void responding.then(() => response.writeHead(204).end());
    return undefined;
  });
  const { queues } = service.deps.jobGateway;
  const redelivery = await redeliver(service.temporal, queues, { id, accountId });
  await expect.poll(() => receiver.receivedFor(job.jobId).length).toBe(2);
  await reset(service.temporal, point);
  expect(await workflow.result()).toEqual({ status: 'completed', jobId: job.jobId });
  respond();
  await service.temporal.workflow.getHandle(redelivery).result();
  expect((await deliveryIn(service, job.jobId, 'delivered')).attempts).toHaveLength(2);
  expect(receiver.receivedFor(job.jobId)).toHaveLength(2);
});
