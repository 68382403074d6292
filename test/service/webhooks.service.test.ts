import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookEvent } from '../../lib/contract/webhook.ts';
import { issueWebhookSecret } from '../../lib/domain/webhook-signature.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, startReceiver, verified } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, QUICK, serviceFor } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let account: Receiver;
let jobReceiver: Receiver;
let image_base64: string;

beforeAll(async () => {
  account = open.use(await startReceiver());
  jobReceiver = open.use(await startReceiver());
  service = open.use(await serviceFor([account, jobReceiver]));
  image_base64 = await sampleImage();
  open.use(
    await service.startWorker({
      webhooks: QUICK,
      generators: scriptedGenerators({
        declutter: async () => {
          throw new GeneratorError({ kind: 'refused', reason: 'safety' }, 'The image was refused.');
        },
      }),
    }),
  );
});
afterAll(() => open.close());

async function run(headers: Record<string, string>, body: object = {}) {
  const response = await postJob(service.app, headers, { tool: 'image-enhancement', image_base64, ...body });
  expect(response.statusCode).toBe(201);
  return ended(service.app, headers, response.json().job_id);
}

const endpoint = async (accountId: string) => (await service.stores.accounts.get(accountId)).webhook;

describe('the event of a job that has ended', () => {
  test('is sent to the endpoint of the account, signed, with the job as GET returns it', async () => {
    account.behave(204);
    const { headers, secret } = await clientWith(service, account.url);
    const job = await run(headers);
    const delivery = await deliveryIn(service, job.job_id, 'delivered');
    const [received, ...others] = account.receivedFor(job.job_id);
    expect(others).toEqual([]);
    const event = verified(received, secret);
    expect(event).toEqual({
      type: 'job.completed',
      timestamp: job.completed_at,
      job_id: job.job_id,
      data: job,
    });
    expect(Value.Check(WebhookEvent, event)).toBe(true);
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': delivery.id,
    });
    expect(delivery).toMatchObject({ type: 'job.completed', target: 'account', url: account.url, tries: 1 });
    expect(delivery.attempts).toMatchObject([{ status: 204, error: null, responseBody: '' }]);
  });

  test('is sent to the webhook_url of the job instead of the account’s', async () => {
    jobReceiver.behave(200);
    const { headers, secret } = await clientWith(service, account.url);
    const { job_id } = await run(headers, { webhook_url: `${jobReceiver.url}?order=7` });
    const delivery = await deliveryIn(service, job_id, 'delivered');
    expect(delivery).toMatchObject({ target: 'job', url: `${jobReceiver.url}?order=7` });
    const [received] = jobReceiver.receivedFor(job_id);
    expect(received?.path).toBe('/hook?order=7');
    verified(received, secret);
    expect(account.receivedFor(job_id)).toEqual([]);
  });

  test('is sent for a failed job, too', async () => {
    account.behave(200);
    const { headers, secret } = await clientWith(service, account.url);
    const job = await run(headers, { tool: 'declutter' });
    await deliveryIn(service, job.job_id, 'delivered');
    const [received] = account.receivedFor(job.job_id);
    expect(verified(received, secret)).toMatchObject({
      type: 'job.failed',
      data: { status: 'failed', error: job.error, result_urls: [] },
    });
  });

  test('is not sent when there is no endpoint', async () => {
    const { headers, accountId } = await clientWith(service, null);
    const { job_id } = await run(headers);
    const outcome = await service.temporal.workflow.getHandle(`job:${job_id}`).result();
    expect(outcome).toEqual({ status: 'completed', jobId: job_id });
    expect(await service.stores.deliveries.list(accountId, 10)).toEqual([]);
    expect(account.receivedFor(job_id)).toEqual([]);
  });

  test('is cancelled when the endpoint is disabled, and can be sent again once it is enabled', async () => {
    account.behave(204);
    const { headers, accountId } = await clientWith(service, account.url);
    const gone = { disabledReason: 'gone' };
    await service.stores.accounts.recordEndpointHealth(accountId, account.url, gone);
    for (const tool of ['image-enhancement', 'declutter']) {
      const { job_id } = await run(headers, { tool });
      const reason = 'The webhook endpoint is disabled: gone';
      const { id, attempts } = await deliveryIn(service, job_id, 'cancelled');
      expect(await service.stores.deliveries.find(id)).toMatchObject({ reason, url: account.url });
      expect([attempts, account.receivedFor(job_id)]).toEqual([[], []]);
      const again = { method: 'POST', url: `/api/v1/webhook-deliveries/${id}/redeliver`, headers } as const;
      expect((await service.app.inject(again)).statusCode).toBe(202);
      await deliveryIn(service, job_id, 'delivered');
      expect(account.receivedFor(job_id)).toHaveLength(1);
    }
  });
});

describe('a receiver that fails', () => {
  test('gets the same bytes under the same id, with the timestamp of each attempt', async () => {
    account.behave((_, response) => {
      const failures = [503, 302, 500];
      const status = failures[account.receivedFor(job_id).length - 1] ?? 200;
      if (status === 302) response.setHeader('location', jobReceiver.url);
      return status;
    });
    let job_id = 'unknown';
    const { headers, secret } = await clientWith(service, account.url);
    const created = await postJob(service.app, headers, { tool: 'image-enhancement', image_base64 });
    job_id = created.json().job_id;
    const delivery = await deliveryIn(service, job_id, 'delivered');
    const received = account.receivedFor(job_id);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.id]));
    for (const request of received) {
      verified(request, secret);
      const sentAt = Number(request.headers['webhook-timestamp']) * 1000;
      expect(Math.abs(request.at - sentAt)).toBeLessThan(5000);
    }
    expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 302, 500, 200]);
    expect(jobReceiver.receivedFor(job_id)).toEqual([]);
    const { events } = await service.temporal.workflow.getHandle(`job:${job_id}`).fetchHistory();
    expect(events?.length).toBeLessThanOrEqual(30);
  });

  test('fails the delivery after the last attempt, and the job stays completed', async () => {
    account.behave(500);
    const { headers, accountId } = await clientWith(service, account.url);
    const { job_id } = await run(headers);
    const delivery = await deliveryIn(service, job_id, 'failed');
    expect(delivery).toMatchObject({ tries: 4, nextAttemptAt: null });
    expect(delivery.reason).toBe('All 4 attempts failed. The receiver responded with status 500.');
    const handle = service.temporal.workflow.getHandle(`job:${job_id}`);
    expect(await handle.result()).toEqual({ status: 'completed', jobId: job_id });
    expect(await endpoint(accountId)).toMatchObject({
      disabledReason: null,
      failingSince: delivery.attempts[0]?.at,
    });
    account.behave(200);
    await run(headers);
    await expect.poll(() => endpoint(accountId)).not.toHaveProperty('failingSince');
  });

  test('that hangs, disconnects or never ends its response is cut off at a limit', async () => {
    account.behave((n, response) => {
      if (n % 3 === 0) return undefined;
      if (n % 3 === 1) return void response.socket?.destroy();
      response.writeHead(200);
      const flood = () => response.write(Buffer.alloc(64 * 1024, 'x'), (error) => error ?? flood());
      flood();
      return undefined;
    });
    account.received.length = 0;
    const { headers } = await clientWith(service, account.url);
    const { job_id } = await run(headers);
    const { attempts } = await deliveryIn(service, job_id, 'delivered');
    expect(attempts).toMatchObject([
      { status: null, error: 'The server took longer than 2 seconds.', responseBody: null },
      { status: null, error: expect.stringContaining('broke the connection off') },
      { status: 200, error: null, responseBody: 'x'.repeat(1024) },
    ]);
  });
});

describe('an endpoint', () => {
  test('outside the public internet is refused at each attempt, since DNS can change', async () => {
    const { headers } = await clientWith(service, 'http://127.0.0.1:9/hook');
    const { job_id } = await run(headers);
    const { attempts } = await deliveryIn(service, job_id, 'failed');
    expect(attempts).toHaveLength(4);
    for (const { status, error } of attempts)
      expect([status, error]).toEqual([null, expect.stringMatching(/https/)]);
  });

  test('that responds with 410 gets no more requests and is disabled, with the reason', async () => {
    account.behave(410);
    const { headers, accountId } = await clientWith(service, account.url);
    const { job_id } = await run(headers);
    const delivery = await deliveryIn(service, job_id, 'failed');
    expect(delivery).toMatchObject({ tries: 1, reason: 'The receiver responded with 410 Gone.' });
    await expect
      .poll(async () => (await endpoint(accountId)).disabledReason)
      .toMatch(/^The endpoint responded with 410 Gone on \d{4}-/);
  });

  test('is not disabled by a 410 from the webhook_url of a job', async () => {
    jobReceiver.behave(410);
    const { headers, accountId } = await clientWith(service, account.url);
    const { job_id } = await run(headers, { webhook_url: jobReceiver.url });
    await deliveryIn(service, job_id, 'failed');
    await service.temporal.workflow.getHandle(`job:${job_id}`).result();
    expect((await endpoint(accountId)).disabledReason).toBeNull();
  });

  /** A client whose endpoint has failed once, six days ago, and since then got no event. */
  async function idleForSixDays() {
    const client = await clientWith(service, account.url);
    const failingSince = new Date(Date.now() - 6 * 24 * 3600 * 1000);
    await service.stores.accounts.recordEndpointHealth(client.accountId, account.url, { failingSince });
    return { ...client, failingSince };
  }

  test('that fails once after five quiet days is not disabled', async () => {
    account.received.length = 0;
    account.behave((n) => (n === 0 ? 500 : 204));
    const { headers, accountId } = await idleForSixDays();
    const { job_id } = await run(headers);
    const { attempts } = await deliveryIn(service, job_id, 'delivered');
    expect(attempts.map(({ status }) => status)).toEqual([500, 204]);
    await expect.poll(() => endpoint(accountId)).not.toHaveProperty('failingSince');
    expect((await endpoint(accountId)).disabledReason).toBeNull();
  });

  test('is disabled once three cycles have failed, one after another, over five days', async () => {
    account.behave(500);
    const { headers, accountId, failingSince } = await idleForSixDays();
    for (const count of [1, 2, 3]) {
      expect((await endpoint(accountId)).disabledReason).toBeNull();
      const { job_id } = await run(headers);
      await deliveryIn(service, job_id, 'failed');
      await expect.poll(async () => (await endpoint(accountId)).failedCycles?.count).toBe(count);
    }
    const since = `Every delivery since ${failingSince.toISOString()} failed.`;
    await expect.poll(async () => (await endpoint(accountId)).disabledReason).toBe(since);
    const { job_id } = await run(headers);
    const delivery = await deliveryIn(service, job_id, 'cancelled');
    expect(delivery).toMatchObject({ tries: 0, reason: `The webhook endpoint is disabled: ${since}` });
  });

  test('gets both signatures during a rotation', async () => {
    account.behave(200);
    const { headers, accountId, secret: previous } = await clientWith(service, account.url);
    const secret = issueWebhookSecret();
    const previousUntil = new Date(Date.now() + 24 * 3600 * 1000);
    await service.stores.accounts.setWebhook(accountId, { rotateTo: { secret, previousUntil } });
    const during = await run(headers);
    await deliveryIn(service, during.job_id, 'delivered');
    const [received] = account.receivedFor(during.job_id);
    for (const known of [previous, secret]) verified(received, known);

    await service.stores.accounts.setWebhook(accountId, {
      rotateTo: { secret, previousUntil: new Date(Date.now() - 1) },
    });
    const later = await run(headers);
    await deliveryIn(service, later.job_id, 'delivered');
    const [after] = account.receivedFor(later.job_id);
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    verified(after, secret);
    expect(() => verified(after, previous)).toThrow();
  });
});
