import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { TypedApp } from '../../api/http/operation.ts';
import type { UpstreamRender } from '../../lib/generators/port.ts';
import type { Generators } from '../../lib/generators/registry.ts';
import type { ImageTasks } from '../../lib/generators/tasks.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { openImageTasks } from '../../worker/image-tasks.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, generatorsOf, invert, scriptedUpstream } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, verified } from '../setup/receiver.ts';
import { reconciled } from '../setup/reconcile.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
let gate = blockedGate();
let held = blockedRender();
let receiver: Receiver;
let service: Service;
/** An API whose signals to workflows are lost, as when Temporal is down. */
let deaf: TypedApp;
let client: Awaited<ReturnType<typeof clientWith>>;
let image_base64: string;
/** Tools that were sent to the upstream. */
const sent: string[] = [];

/** What waits at it goes on when it is opened, or rejects when its signal aborts. */
function blockedGate() {
  let opened = () => {};
  const opening = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const pass = (signal: AbortSignal) =>
    Promise.race([
      opening,
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
  return { pass, open: opened };
}

/** Waits at the gate before it records a call, and in `pool` after it. */
const upstream = {
  ...scriptedUpstream({}),
  async render(render: UpstreamRender) {
    await gate.pass(render.signal);
    const request = await render.request();
    sent.push(request.tool);
    return request.tool === 'pool' ? held.render(request) : invert(request);
  },
};
/** A tool of classical image editing, which a local generator renders here. */
const LOCAL = 'noise-reduction';

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  const { jobGateway } = service.deps;
  deaf = open.use(
    buildApp({ ...service.deps, jobGateway: { ...jobGateway, notifyCancelled: async () => {} } }),
  );
  await deaf.ready();
  const pool = open.use(await openImageTasks(service.config.worker));
  /** Local renders wait at the gate. */
  const run: ImageTasks['run'] = (task, input, { onStart, ...context }) => {
    onStart?.();
    const passed = task === 'renderLocally' ? gate.pass(context.signal) : Promise.resolve();
    return passed.then(() => pool.run(task, input, context));
  };
  const upstreams = generatorsOf(upstream);
  const local = generatorsOf({ kind: 'local', name: 'preview' });
  const forPlan: Generators['forPlan'] = (plan) => (plan.classical ? local : upstreams).forPlan(plan);
  const generators = { ...upstreams, forPlan };
  const imageTasks = { ...pool, run };
  open.use(await service.startWorker({ generators, imageTasks, reconcile: { lostJobMs: 0 } }));
});
beforeEach(async () => {
  [gate, held] = [blockedGate(), blockedRender()];
  client = await clientWith(service, receiver.url);
  receiver.behave(204);
  sent.length = 0;
});
afterEach(() => {
  gate.open();
  held.release();
});
afterAll(() => open.close());

async function post(tool: string): Promise<string> {
  return (await postJob(service.app, client.headers, { tool, image_base64 })).json().job_id;
}
const cancel = (jobId: string, app = service.app) =>
  app.inject({ method: 'POST', url: `/api/v1/jobs/${jobId}/cancel`, headers: client.headers });
const workflowOf = (jobId: string) => service.temporal.workflow.getHandle(`job:${jobId}`);

/** Waits until a renderer has taken the job. */
const untilRendering = (jobId: string) =>
  eventually(async () => {
    const [activity] = (await workflowOf(jobId).describe()).raw.pendingActivities ?? [];
    expect(activity?.lastStartedTime).toBeTruthy();
  });

/** Cancelled and refunded, its workflow over, its webhook sent once, and nothing sent to a generator. */
async function expectCancelled(jobId: string): Promise<void> {
  expect(await workflowOf(jobId).result()).toEqual({ status: 'failed', jobId });
  await deliveryIn(service, jobId, 'delivered');
  const [event, ...others] = receiver.receivedFor(jobId);
  expect(verified(event, client.secret)).toMatchObject({
    type: 'job.failed',
    data: { refunded: true, failure: { reason: 'cancelled' }, result_urls: [] },
  });
  expect([others, sent]).toEqual([[], []]);
  expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
  expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
}

describe('a job that is cancelled before a generator is asked', () => {
  test('fails, is refunded, and its workflow stops at once', async () => {
    const jobId = await post('declutter');
    await untilRendering(jobId);
    expect((await cancel(jobId)).statusCode).toBe(200);
    // The gate is closed: only the signal can end the workflow.
    await expectCancelled(jobId);
  });

  test('while its signal is lost is not sent, and its workflow stops by itself', async () => {
    const jobId = await post('declutter');
    await untilRendering(jobId);
    expect((await cancel(jobId, deaf)).statusCode).toBe(200);
    gate.open();
    await expectCancelled(jobId);
  });

  test('by many requests, some of whose answers are lost, is refunded once', async () => {
    const jobId = await post('declutter');
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(jobId)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    await expectCancelled(jobId);
  });

  test('after its workflow was terminated has its webhook sent by the reconciler', async () => {
    const jobId = await post('declutter');
    await workflowOf(jobId).terminate('by an operator');
    expect((await cancel(jobId)).statusCode).toBe(200);
    expect(await reconciled(service)).toMatchObject({ refunded: 0, webhooksResumed: 1 });
    await deliveryIn(service, jobId, 'delivered');
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
  });
});

describe('a job whose generator was asked', () => {
  test('cannot be cancelled, and completes', async () => {
    const jobId = await post('pool');
    gate.open();
    await eventually(async () => expect(sent).toEqual(['pool']));
    const refused = await cancel(jobId);
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'job_in_progress']);
    held.release();
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({
      status: 'completed',
      refunded: false,
    });
    expect((await cancel(jobId)).json()).toMatchObject({ status: 'completed' });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('at the moment of the cancellation is either completed and paid, or neither', async () => {
    let completed = 0;
    for (let n = 0; n < 8; n += 1) {
      gate = blockedGate();
      const jobId = await post('declutter');
      await untilRendering(jobId);
      gate.open();
      // Each one is cancelled a little later than the one before.
      for (let look = 0; look < n; look += 1) await service.stores.jobs.get(jobId);
      const { statusCode, body } = await cancel(jobId);
      const { status } = await ended(service.app, client.headers, jobId);
      expect(status).toBe(statusCode === 409 ? 'completed' : JSON.parse(body).status);
      if (status === 'completed') completed += 1;
      await workflowOf(jobId).result();
      expect(sent).toHaveLength(completed);
    }
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50 - completed);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });
});

describe('a local render', () => {
  const isRecorded = async (jobId: string) =>
    (await collections(service.mongo.db).jobs.findOne({ _id: jobId }))?.localRender ?? false;

  test('of a second is recorded, and its job can no longer be cancelled', async () => {
    const jobId = await post(LOCAL);
    await eventually(async () => expect(await isRecorded(jobId)).toBe(true));
    expect((await cancel(jobId)).statusCode).toBe(409);
    gate.open();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
  });

  test('that ends sooner writes nothing', async () => {
    gate.open();
    const jobId = await post(LOCAL);
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
    const took = (await service.stores.jobs.get(jobId))?.processingMs ?? 0;
    if (took < 1000) expect(await isRecorded(jobId)).toBe(false);
  });

  test('of a job that was cancelled stops when it would be recorded, although the signal is lost', async () => {
    const jobId = await post(LOCAL);
    expect((await cancel(jobId, deaf)).statusCode).toBe(200);
    // The gate is closed: only the refused record can end the render.
    await expectCancelled(jobId);
  });
});
