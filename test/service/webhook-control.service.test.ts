import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEvent } from '../../lib/contract/webhook.ts';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { redeliver, sendTest } from '../../operator/deliveries.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { generatorsOf } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, verified } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let receiver: Receiver;
let image_base64: string;

const HOUR = 3600 * 1000;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  const webhooks = { scheduleMs: [0, HOUR, HOUR], timeoutMs: 20_000, slots: 1 };
  open.use(
    await service.startWorker({ webhooks, generators: generatorsOf({ kind: 'local', name: 'preview' }) }),
  );
});
afterAll(() => open.close());

async function run(headers: Record<string, string>) {
  const response = await postJob(service.app, headers, { tool: 'image-enhancement', image_base64 });
  return ended(service.app, headers, response.json().job_id);
}

async function remove(headers: Record<string, string>, jobId: string) {
  const response = await service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${jobId}`, headers });
  expect(response.statusCode).toBe(204);
}

const queues = () => taskQueues(service.config.temporal.taskQueuePrefix);
const workflowOf = (jobId: string) => service.temporal.workflow.getHandle(`job:${jobId}`);

/** The delivery once an attempt is recorded and the next one is scheduled. */
const waitForRetry = (jobId: string) =>
  eventually(async () => {
    const delivery = await service.stores.deliveries.find(deliveryIdOf(jobId));
    if (delivery?.state !== 'pending' || delivery.nextAttemptAt === null)
      throw new Error(`the delivery is ${JSON.stringify(delivery)}`);
    return delivery;
  });

describe('deleting a job', () => {
  test('before the first attempt: nothing is sent', async () => {
    const { headers, accountId } = await clientWith(service, receiver.url);
    const held: (() => void)[] = [];
    receiver.behave((_, response) => void held.push(() => response.writeHead(200).end()));
    await sendTest(service.temporal, queues(), accountId);
    await eventually(async () => expect(held).toHaveLength(1));
    const { job_id } = await run(headers);
    await eventually(async () => {
      const { raw } = await workflowOf(job_id).describe();
      expect(raw.pendingActivities?.[0]?.lastFailure?.message).toContain('waits for its turn');
    });
    await remove(headers, job_id);
    expect(await workflowOf(job_id).result()).toEqual({ status: 'completed', jobId: job_id });
    held[0]?.();
    const delivery = await deliveryIn(service, job_id, 'cancelled');
    expect(delivery).toMatchObject({ tries: 0, attempts: [], url: null, reason: 'The job was deleted.' });
    expect(receiver.receivedFor(job_id)).toEqual([]);
  });

  test('between attempts: the workflow ends immediately, and the log keeps no URL and no response', async () => {
    receiver.behave((_, response) => void response.writeHead(503).end('try later'));
    const { headers } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    const pending = await waitForRetry(job_id);
    expect(pending.attempts).toMatchObject([{ status: 503, responseBody: 'try later', url: receiver.url }]);
    await remove(headers, job_id);
    expect(await workflowOf(job_id).result()).toMatchObject({ status: 'completed' });
    const cancelled = await deliveryIn(service, job_id, 'cancelled');
    expect(cancelled).toMatchObject({ url: null, nextAttemptAt: null });
    expect(cancelled.attempts).toMatchObject([{ status: 503, responseBody: null, url: null }]);
    expect(receiver.receivedFor(job_id)).toHaveLength(1);
  });

  test('during an attempt: the request is aborted', async () => {
    receiver.behave(() => undefined);
    const { headers } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    await eventually(async () => expect(receiver.receivedFor(job_id)).toHaveLength(1));
    await remove(headers, job_id);
    expect(await workflowOf(job_id).result()).toMatchObject({ status: 'completed' });
    await eventually(async () => {
      const delivery = await deliveryIn(service, job_id, 'cancelled');
      expect(delivery.attempts).toMatchObject([{ error: expect.stringContaining('Aborted'), url: null }]);
    });
    expect(receiver.receivedFor(job_id)).toHaveLength(1);
  });
});

describe('an operator', () => {
  test('who cancels the workflow stops the delivery and not the job', async () => {
    receiver.behave(503);
    const { headers } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    await waitForRetry(job_id);
    await workflowOf(job_id).cancel();
    expect(await workflowOf(job_id).result()).toEqual({ status: 'completed', jobId: job_id });
    const delivery = await deliveryIn(service, job_id, 'cancelled');
    expect(delivery.reason).toBe('The workflow was cancelled.');
  });

  test('redelivers the same event under the same id, which ends the previous cycle', async () => {
    receiver.behave(503);
    const { headers, secret } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    const failed = await waitForRetry(job_id);
    receiver.behave(200);
    const workflowId = await redeliver(service.temporal, queues(), failed);
    expect(await service.temporal.workflow.getHandle(workflowId).result()).toMatchObject({
      state: 'delivered',
    });
    const [first, second] = receiver.receivedFor(job_id);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(failed.id);
    verified(second, secret);
    const delivery = await deliveryIn(service, job_id, 'delivered');
    expect(delivery.tries).toBe(1);
    expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 200]);
    // Otherwise it would notice at its next attempt, in an hour.
    await workflowOf(job_id).terminate();
  });

  test('redelivers a delivered event, even to a disabled endpoint', async () => {
    receiver.behave(200);
    const { headers, accountId } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    const delivery = await deliveryIn(service, job_id, 'delivered');
    await service.stores.accounts.recordEndpointHealth(accountId, receiver.url, { disabledReason: 'gone' });
    for (let n = 2; n < 4; n += 1) {
      const workflowId = await redeliver(service.temporal, queues(), delivery);
      await service.temporal.workflow.getHandle(workflowId).result();
      expect(receiver.receivedFor(job_id)).toHaveLength(n);
    }
  });

  test('cannot redeliver the event of a deleted job', async () => {
    receiver.behave(200);
    const { headers } = await clientWith(service, receiver.url);
    const { job_id } = await run(headers);
    const delivery = await deliveryIn(service, job_id, 'delivered');
    await remove(headers, job_id);
    const workflowId = await redeliver(service.temporal, queues(), delivery);
    expect(await service.temporal.workflow.getHandle(workflowId).result()).toEqual({
      state: 'cancelled',
      reason: 'The job was deleted.',
    });
    expect(receiver.receivedFor(job_id)).toHaveLength(1);
  });

  test('sends a test event in a single attempt', async () => {
    const { accountId, secret } = await clientWith(service, receiver.url);
    for (const [status, state] of [
      [200, 'delivered'],
      [500, 'failed'],
    ] as const) {
      receiver.behave(status);
      receiver.received.length = 0;
      const id = await sendTest(service.temporal, queues(), accountId);
      await eventually(async () => {
        expect(await service.stores.deliveries.find(id)).toMatchObject({ state, jobId: null, tries: 1 });
      });
      const event = verified(receiver.received[0], secret);
      expect(Value.Check(TestEvent, event)).toBe(true);
      expect(event).toMatchObject({ type: 'test.ping', data: { account_id: accountId } });
      expect(receiver.received[0]?.headers['webhook-id']).toBe(id);
    }
    expect((await service.stores.accounts.get(accountId)).webhook).not.toHaveProperty('failingSince');
  });
});
