import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { redeliver } from '../../operator/deliveries.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, verified } from '../setup/receiver.ts';
import { reconciled } from '../setup/reconcile.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const LOST = 'The job was interrupted before it could finish. The charge was refunded.';
const open = closers();
let held = blockedRender();
let receiver: Receiver;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  const generators = scriptedGenerators({ pool: (request) => held.render(request) });
  open.use(await service.startWorker({ generators, reconcile: { lostJobMs: 0 } }));
});
beforeEach(() => {
  held = blockedRender();
  receiver.behave(204);
  receiver.received.length = 0;
});
afterEach(() => held.release());
afterAll(() => open.close());

type Client = Awaited<ReturnType<typeof clientWith>>;

/** A job whose render does not finish. */
async function heldJob({ headers }: Client, key?: string): Promise<string> {
  return (await postJob(service.app, headers, { tool: 'pool', image_base64 }, key)).json().job_id;
}

const workflowOf = async (jobId: string) =>
  service.temporal.workflow.getHandle((await service.stores.jobs.get(jobId))?.workflowId ?? '');

describe('a job whose workflow', () => {
  test('was terminated is failed and refunded by the reconciler, and its webhook is sent', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await heldJob(client, 'record');
    await (await workflowOf(jobId)).terminate('by an operator');
    expect(await reconciled(service)).toMatchObject({ refunded: 1 });
    const job = await ended(service.app, client.headers, jobId);
    expect(job).toMatchObject({ status: 'failed', error: LOST, result_urls: [], images_charged: 1 });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);

    const [webhook] = await receiver.got(1);
    expect(verified(webhook, client.secret)).toMatchObject({ type: 'job.failed', job_id: jobId });
    const replay = await postJob(service.app, client.headers, { tool: 'pool', image_base64 }, 'record');
    expect([replay.statusCode, replay.json().job_id, replay.json().status]).toEqual([201, jobId, 'failed']);
    expect(await reconciled(service)).toMatchObject({ refunded: 0 });
  });

  test('is unknown to Temporal is failed and refunded', async () => {
    const client = await clientWith(service, null);
    const jobId = await heldJob(client);
    const handle = await workflowOf(jobId);
    const { workflowService } = service.temporal;
    const workflowExecution = { workflowId: handle.workflowId };
    await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    await eventually(() => expect(handle.describe()).rejects.toThrow('not found'));
    expect(await reconciled(service)).toMatchObject({ refunded: 1 });
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({ status: 'failed', error: LOST });
  });

  test('is running is left alone and completes', async () => {
    const client = await clientWith(service, null);
    const jobId = await heldJob(client);
    expect(await reconciled(service)).toMatchObject({ refunded: 0 });
    expect((await service.stores.jobs.get(jobId))?.status).toBe('processing');
    held.release();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });
});

describe('a webhook whose workflow was terminated', () => {
  /** A job that has ended; its receiver has got the webhook and does not respond. */
  async function jobWithHangingReceiver(client: Client): Promise<string> {
    receiver.behave(() => undefined);
    const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
    await receiver.got(1);
    return created.json().job_id;
  }

  test('is resumed by the reconciler under the same id, and not before', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await jobWithHangingReceiver(client);
    expect(await reconciled(service)).toMatchObject({ webhooksResumed: 0 });
    await (await workflowOf(jobId)).terminate('by an operator');
    receiver.behave(200);
    expect(await reconciled(service)).toMatchObject({ webhooksResumed: 1, refunded: 0 });
    const { id } = await deliveryIn(service, jobId, 'delivered');
    const last = receiver.received.at(-1);
    expect(verified(last, client.secret)).toMatchObject({ type: 'job.completed', job_id: jobId });
    expect(last?.headers['webhook-id']).toBe(id);
    expect(await reconciled(service)).toMatchObject({ webhooksResumed: 0 });
  });

  test('is left alone while a redelivery is running', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await jobWithHangingReceiver(client);
    await (await workflowOf(jobId)).terminate('by an operator');
    const delivery = { id: deliveryIdOf(jobId), accountId: client.accountId };
    const queues = taskQueues(service.config.temporal.taskQueuePrefix);
    const redelivery = service.temporal.workflow.getHandle(
      await redeliver(service.temporal, queues, delivery),
    );
    await receiver.got(2);
    expect(await reconciled(service)).toMatchObject({ webhooksResumed: 0 });
    await redelivery.cancel();
    expect(await redelivery.result()).toMatchObject({ state: 'cancelled' });
    expect(await reconciled(service)).toMatchObject({ webhooksResumed: 0 });
  });
});
