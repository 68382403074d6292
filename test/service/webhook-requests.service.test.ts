import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookDelivery, WebhookDeliveryList } from '../../lib/contract/deliveries.ts';
import type { WebhookSecret } from '../../lib/contract/webhook-endpoint.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { generatorsOf } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, startReceiver, verified } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, serviceFor } from '../setup/webhooks.ts';

type Client = Awaited<ReturnType<typeof clientWith>>;

const open = closers();
let service: Service;
let receiver: Receiver;
let slow: Receiver;
let hung: Receiver;
let image_base64: string;

beforeAll(async () => {
  [receiver, slow, hung] = [await startReceiver(), await startReceiver(), await startReceiver()];
  for (const each of [receiver, slow, hung]) open.use(each);
  service = open.use(await serviceFor([receiver, slow, hung]));
  image_base64 = await sampleImage();
  const webhooks = { scheduleMs: [0, 50], timeoutMs: 20_000, slots: 16 };
  open.use(
    await service.startWorker({ webhooks, generators: generatorsOf({ kind: 'local', name: 'preview' }) }),
  );
});
afterAll(() => open.close());

const call = (client: Client, method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) =>
  service.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: client.headers,
    ...(payload === undefined ? {} : { payload }),
  });
async function deliveries(client: Client, query = ''): Promise<WebhookDelivery[]> {
  return (await call(client, 'GET', `/webhook-deliveries${query}`)).json<WebhookDeliveryList>().data;
}
/** The only delivery of a job, once it is in this state. */
const inState = (client: Client, jobId: string, status: WebhookDelivery['status']) =>
  eventually(async () => {
    const [delivery] = await deliveries(client, `?job_id=${jobId}`);
    if (delivery?.status !== status) throw new Error(`the delivery is ${JSON.stringify(delivery)}`);
    return delivery;
  });
async function run(client: Client): Promise<string> {
  const created = await postJob(service.app, client.headers, { tool: 'image-enhancement', image_base64 });
  return (await ended(service.app, client.headers, created.json().job_id)).job_id;
}

describe('a client', () => {
  test('sees why an event failed, and sends it again under the same id', async () => {
    const client = await clientWith(service, receiver.url);
    receiver.behave((_, response) => void response.writeHead(500).end('no database'));
    const jobId = await run(client);
    const failed = await inState(client, jobId, 'failed');
    expect(failed.attempts).toMatchObject(
      [1, 2].map(() => ({ status: 500, response_body: 'no database', error: expect.any(String) })),
    );
    receiver.behave(204);
    const accepted = await call(client, 'POST', `/webhook-deliveries/${failed.id}/redeliver`);
    expect(accepted.statusCode).toBe(202);
    const delivered = await inState(client, jobId, 'delivered');
    expect(delivered.attempts.map(({ status }) => status)).toEqual([500, 500, 204]);
    const sent = receiver.receivedFor(jobId);
    expect(new Set(sent.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(sent.at(-1)?.headers['webhook-id']).toBe(failed.id);
    verified(sent.at(-1), client.secret);
  });

  test('sets its endpoint, gets a secret, and tests it', async () => {
    const client = await clientWith(service, null);
    receiver.behave((_, response) => void response.writeHead(418).end('a teapot'));
    expect((await call(client, 'PUT', '/webhook-endpoint', { url: receiver.url })).statusCode).toBe(200);
    const { secret } = (await call(client, 'POST', '/webhook-endpoint/rotate-secret')).json<WebhookSecret>();
    const { id } = (await call(client, 'POST', '/webhook-endpoint/test')).json<WebhookDelivery>();
    await eventually(async () => {
      expect(await deliveries(client, '?status=failed')).toMatchObject([
        { id, type: 'test.ping', attempts: [{ status: 418, response_body: 'a teapot' }] },
      ]);
    });
    const sent = receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
    expect(sent).toHaveLength(1);
    expect(verified(sent[0], secret)).toMatchObject({ type: 'test.ping' });
  });

  test('rotates its secret twice, and receivers with any of the three accept its events', async () => {
    const client = await clientWith(service, receiver.url);
    receiver.behave(204);
    const secrets = [client.secret];
    for (let n = 0; n < 2; n += 1) {
      const rotated = await call(client, 'POST', '/webhook-endpoint/rotate-secret');
      secrets.push(rotated.json<WebhookSecret>().secret);
    }
    const jobId = await run(client);
    await deliveryIn(service, jobId, 'delivered');
    for (const secret of secrets) verified(receiver.receivedFor(jobId)[0], secret);
  });

  test('deletes the job of a redelivery, which ends it', async () => {
    const client = await clientWith(service, slow.url);
    slow.behave(500);
    const jobId = await run(client);
    const { id } = await inState(client, jobId, 'failed');
    slow.behave(() => undefined);
    await call(client, 'POST', `/webhook-deliveries/${id}/redeliver`);
    await eventually(async () => expect(slow.receivedFor(jobId)).toHaveLength(3));
    await service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${jobId}`, headers: client.headers });
    const cancelled = await inState(client, jobId, 'cancelled');
    expect(cancelled).toMatchObject({ url: null, reason: 'The job was deleted.' });
    // It would be tried again otherwise.
    slow.behave(204);
    await service.temporal.workflow.getHandle(`redelivery:${id}`).result();
    expect(slow.receivedFor(jobId)).toHaveLength(3);
  });
});

test('redelivering many events to a receiver that hangs does not delay the event of another account', async () => {
  const [client, other] = [await clientWith(service, hung.url), await clientWith(service, receiver.url)];
  hung.behave(500);
  const jobs = await Promise.all(Array.from({ length: 20 }, () => run(client)));
  const failed = await Promise.all(jobs.map((jobId) => inState(client, jobId, 'failed')));
  hung.behave(() => undefined);
  for (let n = 0; n < 5; n += 1)
    await Promise.all(failed.map(({ id }) => call(client, 'POST', `/webhook-deliveries/${id}/redeliver`)));
  await eventually(async () => expect(hung.open()).toBeGreaterThan(0));
  receiver.behave(204);
  const jobId = await run(other);
  await inState(other, jobId, 'delivered');
  // None of those that hang has ended by now, and each event is sent once at a time.
  expect(hung.open()).toBeGreaterThan(0);
  expect(hung.received.length).toBeLessThanOrEqual(3 * jobs.length);
  expect(await deliveries(client, '?status=pending&limit=100')).toHaveLength(jobs.length);
  for (const id of jobs)
    await service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${id}`, headers: client.headers });
  await hung[Symbol.asyncDispose]();
});
