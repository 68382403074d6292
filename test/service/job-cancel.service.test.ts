import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stopSignal } from '../../lib/protocol/job.ts';
import { cancelOneJob } from '../../operator/jobs.ts';
import { type CommandLine, openCommandLine } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, invert, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver, QUICK } from '../setup/webhooks.ts';

const open = closers();
let held = blockedRender();
/** Renders that do not end when they are aborted, as in a renderer that stands still. */
let stalled: Promise<void> | undefined;
let service: Service;
let receiver: Receiver;
let cli: CommandLine;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  image_base64 = await sampleImage();
  const generators = scriptedGenerators({
    pool: (request) => held.render(request),
    'pool-removal': (request) => stalled?.then(() => invert(request)) ?? invert(request),
  });
  open.use(await service.startWorker({ webhooks: QUICK, generators }));
  open.defer(() => held.release());
});
beforeEach(() => {
  held = blockedRender();
});
afterAll(() => open.close());

/** A job whose render waits, of a client whose receiver responds when the test says so. */
async function heldJob(tool = 'pool') {
  let respond = () => {};
  const responding = new Promise<void>((resolve) => {
    respond = resolve;
  });
  receiver.behave((_, response) => {
    void responding.then(() => response.writeHead(204).end());
    return undefined;
  });
  const client = await clientWith(service, receiver.url);
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  const jobId: string = created.json().job_id;
  const notified = () => expect.poll(() => receiver.receivedFor(jobId).length).toBe(1);
  const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;
  return { headers: client.headers, jobId, respond, notified, balance };
}

test('a job that completes while its cancellation is requested keeps its charge and its webhook', async () => {
  const { headers, jobId, respond, notified, balance } = await heldJob();
  const stores = cli.deps.stores();
  let looks = 0;
  const get = async (id: string) => {
    const job = await stores.jobs.get(id);
    looks += 1;
    if (looks > 1) return job;
    held.release();
    expect((await ended(service.app, headers, jobId)).status).toBe('completed');
    await notified();
    return job;
  };
  const deps = { ...cli.deps, stores: () => ({ ...stores, jobs: { ...stores.jobs, get } }) };
  await expect(cancelOneJob(deps, jobId)).rejects.toThrow(
    `Job ${jobId} was completed before it could be cancelled. It is not refunded.`,
  );
  respond();
  await deliveryIn(service, jobId, 'delivered');
  expect(await balance()).toBe(49);
});

test('a job that is stopped fails, is refunded, and has its webhook delivered though it is stopped again', async () => {
  const { jobId, respond, notified, balance } = await heldJob();
  expect(await cli.json('job', 'cancel', jobId)).toMatchObject({ status: 'failed' });
  await notified();
  await service.temporal.workflow.getHandle(`job:${jobId}`).signal(stopSignal, jobId);
  respond();
  expect(await deliveryIn(service, jobId, 'delivered')).toMatchObject({ type: 'job.failed' });
  expect(await balance()).toBe(50);
});

test('a job is not stopped by a request to stop another one of its idempotency key', async () => {
  const { headers, jobId, respond, balance } = await heldJob();
  const workflow = service.temporal.workflow.getHandle(`job:${jobId}`);
  await workflow.signal(stopSignal, randomUUID());
  await eventually(async () => {
    const { events } = await workflow.fetchHistory();
    const handled = events?.findIndex(({ workflowExecutionSignaledEventAttributes: it }) => it) ?? -1;
    const after = events?.slice(handled) ?? [];
    expect(after.some(({ workflowTaskCompletedEventAttributes: it }) => it)).toBe(true);
  });
  held.release();
  expect((await ended(service.app, headers, jobId)).status).toBe('completed');
  respond();
  expect(await balance()).toBe(49);
});

test('a job whose renderer stands still is cancelled at once, and its webhook is sent once its render is over', async () => {
  let goOn = () => {};
  stalled = new Promise((resolve) => {
    goOn = resolve;
  });
  const { jobId, respond, balance } = await heldJob('pool-removal');
  const calls = () => service.stores.generatorCalls.list(jobId);
  await eventually(async () => expect(await calls()).toHaveLength(1));
  expect(await cli.json('job', 'cancel', jobId)).toMatchObject({
    status: 'failed',
    error: 'The job was cancelled. The charge was refunded.',
  });
  expect(await balance()).toBe(50);
  goOn();
  respond();
  expect(await deliveryIn(service, jobId, 'delivered')).toMatchObject({ type: 'job.failed' });
  expect(await service.temporal.workflow.getHandle(`job:${jobId}`).result()).toMatchObject({
    status: 'failed',
  });
  const { found } = await service.images.list('results');
  const { accountId } = (await service.stores.jobs.get(jobId)) ?? {};
  expect(found.filter(({ key }) => key.startsWith(`${accountId}/`))).toEqual([]);
  expect(await balance()).toBe(50);
});
