import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureRetentionSchedule, retentionScheduleId } from '../../operator/setup/retention-schedule.ts';
import { startSweep } from '../../operator/sweep.ts';
import { redeliver } from '../../operator/webhooks.ts';
import { deliveryIdOf } from '../../stores/delivery.ts';
import { type SweepCounts, taskQueues } from '../../workflows/messages.ts';
import { ended, postJob, samplePicture } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { heldRender, scriptedGenerator } from '../setup/generators.ts';
import { type Receiver, verified } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const LOST = 'The job was interrupted before it could finish. The charge was refunded.';
const open = closers();
const held = heldRender();
let receiver: Receiver;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await samplePicture();
  const generator = scriptedGenerator({ pool: held.render });
  open.use(await service.startWorker({ generator, retention: { lostJobMs: 0 } }));
  open.defer(async () => held.release());
});
afterAll(() => open.close());

type Client = Awaited<ReturnType<typeof clientWith>>;

/** A job that is kept rendering. */
async function heldJob({ headers }: Client, key?: string): Promise<string> {
  return (await postJob(service.app, headers, { tool: 'pool', image_base64 }, key)).json().job_id;
}

const workflowOf = async (jobId: string) =>
  service.temporal.workflow.getHandle((await service.stores.jobs.get(jobId))?.workflowId ?? '');

async function sweep(): Promise<SweepCounts> {
  const { workflowId } = await startSweep(service.temporal, service.config.temporal.taskQueuePrefix);
  return service.temporal.workflow.getHandle(workflowId).result();
}

describe('a job whose workflow', () => {
  test('was terminated is failed and refunded by the sweep, and its webhook is sent', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await heldJob(client, 'record');
    await (await workflowOf(jobId)).terminate('by an operator');
    expect(await sweep()).toMatchObject({ refunded: 1 });
    const job = await ended(service.app, client.headers, jobId);
    expect(job).toMatchObject({ status: 'failed', error: LOST, result_urls: [], images_charged: 1 });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);

    const [told] = await receiver.got(1);
    expect(verified(told, client.secret)).toMatchObject({ type: 'job.failed', job_id: jobId });
    const replay = await postJob(service.app, client.headers, { tool: 'pool', image_base64 }, 'record');
    expect([replay.statusCode, replay.json().job_id, replay.json().status]).toEqual([201, jobId, 'failed']);
    expect(await sweep()).toMatchObject({ refunded: 0 });
  });

  test('is unknown to Temporal is failed and refunded', async () => {
    const client = await clientWith(service, null);
    const jobId = await heldJob(client);
    const handle = await workflowOf(jobId);
    const { workflowService } = service.temporal;
    const workflowExecution = { workflowId: handle.workflowId };
    await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    await eventually(() => expect(handle.describe()).rejects.toThrow('not found'));
    expect(await sweep()).toMatchObject({ refunded: 1 });
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({ status: 'failed', error: LOST });
  });

  test('runs is left alone and completes', async () => {
    const client = await clientWith(service, null);
    const jobId = await heldJob(client);
    expect(await sweep()).toMatchObject({ refunded: 0 });
    expect((await service.stores.jobs.get(jobId))?.status).toBe('processing');
    held.release();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });
});

describe('a webhook whose workflow was terminated', () => {
  /** A job that ended; its receiver has its webhook and does not answer. */
  async function told(client: Client): Promise<string> {
    receiver.received.length = 0;
    receiver.behave(() => undefined);
    const answer = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
    await receiver.got(1);
    return answer.json().job_id;
  }

  test('is taken up by the sweep under the same id, and only then', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await told(client);
    expect(await sweep()).toMatchObject({ takenUp: 0 });
    await (await workflowOf(jobId)).terminate('by an operator');
    receiver.behave(200);
    expect(await sweep()).toMatchObject({ takenUp: 1, refunded: 0 });
    const { id } = await deliveryIn(service, jobId, 'delivered');
    const last = receiver.received.at(-1);
    expect(verified(last, client.secret)).toMatchObject({ type: 'job.completed', job_id: jobId });
    expect(last?.headers['webhook-id']).toBe(id);
    expect(await sweep()).toMatchObject({ takenUp: 0 });
  });

  test('and whose redelivery goes on is left to that', async () => {
    const client = await clientWith(service, receiver.url);
    const jobId = await told(client);
    await (await workflowOf(jobId)).terminate('by an operator');
    const delivery = { id: deliveryIdOf(jobId), accountId: client.accountId };
    const queues = taskQueues(service.config.temporal.taskQueuePrefix);
    const redelivery = service.temporal.workflow.getHandle(
      await redeliver(service.temporal, queues, delivery),
    );
    await receiver.got(2);
    expect(await sweep()).toMatchObject({ takenUp: 0 });
    await redelivery.cancel();
    expect(await redelivery.result()).toMatchObject({ state: 'cancelled' });
    expect(await sweep()).toMatchObject({ takenUp: 0 });
  });
});

describe('the schedule', () => {
  const handle = () =>
    service.temporal.schedule.getHandle(retentionScheduleId(service.config.temporal.taskQueuePrefix));

  test('runs the sweep daily at 04:20 UTC, whoever sets it up how often', async () => {
    const { temporal } = service.config;
    open.defer(() => handle().delete());
    await ensureRetentionSchedule(temporal);
    await ensureRetentionSchedule(temporal);
    const { spec, policies, info } = await handle().describe();
    expect(spec.calendars).toMatchObject([
      { hour: [{ start: 4, end: 4 }], minute: [{ start: 20, end: 20 }] },
    ]);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 24 * 3_600_000 });
    const next = info.nextActionTimes.map((time) => time.toISOString().slice(10, 19));
    expect(new Set(next)).toEqual(new Set(['T04:20:00']));
  });

  test('starts a sweep that runs to its end; what an operator paused stays paused', async () => {
    await handle().trigger();
    const workflowId = await eventually(async () => {
      const [action] = (await handle().describe()).info.recentActions;
      if (action?.action.type !== 'startWorkflow') throw new Error('the schedule has not acted yet');
      return action.action.workflow.workflowId;
    });
    expect(await service.temporal.workflow.getHandle(workflowId).result()).toMatchObject({ deleted: 0 });
    await handle().pause();
    await ensureRetentionSchedule(service.config.temporal);
    expect((await handle().describe()).state.paused).toBe(true);
  });
});
