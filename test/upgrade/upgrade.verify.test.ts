import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import type { Job, JobCreated } from '../../lib/contract/schemas.ts';
import { environment } from '../../lib/process/config/config.ts';
import { sampleImage } from '../setup/images.ts';
import { ownBuckets } from '../setup/own-config.ts';
import { startReceiver } from '../setup/receiver.ts';
import { today, yesterday } from '../setup/release.ts';

const image_base64 = await sampleImage();

/** A client of the API at an address that may change. */
function clientOf(apiKey: string) {
  const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
  const read = async (address: string, jobId: string) =>
    (await (await fetch(`${address}/api/v1/jobs/${jobId}`, { headers })).json()) as Job;
  return {
    async post(address: string, key: string, fields: object = {}) {
      const response = await fetch(`${address}/api/v1/jobs`, {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': key },
        body: JSON.stringify({ tool: 'image-enhancement', image_base64, ...fields }),
      });
      expect(response.status).toBe(201);
      return ((await response.json()) as JobCreated).job_id;
    },
    read,
    completed: (address: string, jobId: string) =>
      vi.waitFor(async () => expect((await read(address, jobId)).status).toBe('completed'), 60_000),
  };
}

test('jobs that yesterday’s version began are ended by today’s, and the other way round', {
  timeout: 180_000,
}, async () => {
  await using receiver = await startReceiver();
  const id = randomUUID().slice(0, 8);
  const env = {
    ...environment(),
    ...inject('env'),
    MONGODB_DATABASE: `test_upgrade_${id}`,
    ...ownBuckets(id),
    TASK_QUEUE_PREFIX: `upgrade-${id}-`,
    EGRESS_ALLOW_ORIGINS: receiver.origin,
    GENERATORS: 'preview',
    API_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const [before, after] = [await yesterday(env), today(env)];
  await before.operator('setup');
  const { account_id = '' } = await before.operator('account', 'create', '--name', 'Client');
  const { api_key = '' } = await before.operator('key', 'create', '--account', account_id, '--name', 'Key');
  const client = clientOf(api_key);
  const [oldApi, oldWorker, oldRenderer] = await Promise.all([
    before.api(),
    before.worker(),
    before.renderer(),
  ]);

  const ended = await client.post(oldApi.address, 'ended');
  await client.completed(oldApi.address, ended);

  // Set up while yesterday's processes serve, which go on.
  await after.operator('setup');
  const newApi = await after.api();
  expect(await client.post(newApi.address, 'ended')).toBe(ended);
  const mixed = await client.post(newApi.address, 'mixed');
  await client.completed(oldApi.address, mixed);

  // By yesterday's worker, one job is being delivered to a receiver that does not respond, and one waits for a renderer.
  receiver.behave((n) => (n === 0 ? undefined : 204), '/notified');
  const notified = await client.post(oldApi.address, 'notified', {
    webhook_url: `${receiver.origin}/notified`,
  });
  await receiver.got(1);
  expect(await oldRenderer.stop()).toBe(0);
  const waiting = await client.post(oldApi.address, 'waiting', { webhook_url: receiver.url });
  expect(await oldWorker.stop()).toBe(0);
  const [newWorker, newRenderer] = await Promise.all([after.worker(), after.renderer()]);
  await client.completed(newApi.address, waiting);
  await vi.waitFor(async () => expect(receiver.receivedFor(notified)).toHaveLength(2), 60_000);
  await vi.waitFor(async () => expect(receiver.receivedFor(waiting)).toHaveLength(1), 60_000);

  // Back to yesterday's version, with a job that today's worker has accepted.
  expect(await newRenderer.stop()).toBe(0);
  const back = await client.post(newApi.address, 'back');
  expect(await newWorker.stop()).toBe(0);
  const again = await Promise.all([before.worker(), before.renderer()]);
  await client.completed(oldApi.address, back);

  const jobs = [ended, mixed, notified, waiting, back];
  const rows = await after.operator<{ id: string }[]>('ledger', 'list', '--account', account_id);
  expect(rows.filter((row) => row.id.startsWith('charge:')).map((row) => row.id.slice(7))).toEqual(jobs);
  expect(rows.some((row) => row.id.startsWith('refund:'))).toBe(false);
  await after.operator('ledger', 'audit');
  expect(await Promise.all([oldApi, newApi, ...again].map((running) => running.stop()))).toEqual([
    0, 0, 0, 0,
  ]);
});
