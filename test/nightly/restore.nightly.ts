import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { environment, loadConfig } from '../../config.ts';
import type { Job } from '../../contract/schemas.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { dumpDatabase, restoreDatabase } from '../setup/dump.ts';
import { eventually } from '../setup/eventually.ts';
import { sampleImage } from '../setup/images.ts';
import { type Release, today } from '../setup/release.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const image_base64 = await sampleImage();
const BEFORE = ['a', 'b', 'c', 'd', 'e', 'f'];
const SINCE = ['g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r'];

/** The processes of the service. */
async function start(release: Release) {
  const processes = await Promise.all([release.api(), release.worker(), release.renderer()]);
  const [{ address }] = processes;
  return { address, stop: () => Promise.all(processes.map((running) => running.stop())) };
}

function clientOf(apiKey: string, addressOf: () => string) {
  const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
  const call = async (method: string, path: string, body?: object, key?: string) => {
    const idempotent = key === undefined ? {} : { 'Idempotency-Key': key };
    const init = { method, headers: { ...headers, ...idempotent } };
    const response = await fetch(
      `${addressOf()}/api/v1/${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const read = async (id: string) => (await call('GET', `jobs/${id}`)).body as Job;
  return {
    read,
    remove: (id: string) => call('DELETE', `jobs/${id}`),
    balance: async () => (await call('GET', 'account')).body.image_credits as number,
    /** @returns the job once it has ended */
    async post(key: string): Promise<Job> {
      const { status, body } = await call('POST', 'jobs', { tool: 'image-enhancement', image_base64 }, key);
      expect(status).toBe(201);
      // A client that polls faster is soon refused: its address has 600 requests a minute.
      const polling = { interval: 500, timeout: 60_000 };
      await expect.poll(() => read(body.job_id), polling).toMatchObject({ status: 'completed' });
      return read(body.job_id);
    },
  };
}

async function served(jobs: readonly Job[]): Promise<number[]> {
  const urls = jobs.flatMap(({ result_urls }) => result_urls);
  const answers = await Promise.all(urls.map((url) => fetch(url)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
}

test('what was delivered and paid since the backup is there after a restore, and nothing is charged twice', async () => {
  const id = randomUUID().slice(0, 8);
  const own = inject('env');
  const env = {
    ...environment(),
    ...own,
    MONGODB_DATABASE: `test_restore_${id}`,
    S3_INPUTS_BUCKET: `inputs-${id}`,
    S3_RESULTS_BUCKET: `results-${id}`,
    UPLOAD_URL: `${own.S3_ENDPOINT}/results-${id}`,
    TASK_QUEUE_PREFIX: `restore-${id}-`,
    GENERATORS: 'instant',
    API_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const release = today(env);
  const { operator } = release;
  await using mongo = openMongo(loadConfig(env).mongo);
  await operator('setup');
  const { account_id = '' } = await operator('account', 'create', '--name', 'Acme', '--reference', 'acme');
  const { api_key = '' } = await operator('key', 'create', '--account', account_id, '--name', 'Key');
  const buy = (images: string, reference: string) =>
    operator('pack', 'add', '--account', account_id, '--images', images, '--reference', reference);
  await buy('10', 'INV-1');
  let running = await start(release);
  const client = clientOf(api_key, () => running.address);
  const posted = (keys: readonly string[]) => Promise.all(keys.map(client.post));

  const before = await posted(BEFORE);
  const since = new Date().toISOString();
  const backup = await dumpDatabase(mongo.db);
  const later = await posted(SINCE);
  await buy('20', 'INV-2');
  const [deleted, ...kept] = later;
  expect(await client.remove(deleted?.job_id ?? '')).toMatchObject({ status: 204 });
  const balance = await client.balance();
  expect(balance).toBe(50 + 30 - 18);

  expect(await running.stop()).toEqual([0, 0, 0]);
  await restoreDatabase(mongo.db, backup);
  await operator('setup');
  const references = join(temporaryFolder(), 'packs.csv');
  writeFileSync(references, 'account,images,reference\nacme,10,INV-1\nacme,20,INV-2\n');
  const reconcile = (...options: string[]) =>
    operator<Record<string, number>>('reconcile', '--since', since, '--references', references, ...options);
  await eventually(async () =>
    expect(await reconcile()).toMatchObject({
      lost_packs: 1,
      lost_jobs: kept.length,
      orphaned_results: kept.length,
    }),
  );
  expect(await reconcile('--apply')).toMatchObject({ left_to_do: 0, orphaned_results: 0 });
  expect(await reconcile('--apply')).toMatchObject({ lost_packs: 0, lost_jobs: 0 });
  await operator('ledger', 'audit');

  running = await start(release);
  // Nothing keeps the charge of a deleted job whose workflow and result are gone.
  expect(await client.balance()).toBe(balance + 1);
  for (const job of [...before, ...kept]) {
    const { created_at: _created, completed_at: _completed, ...rest } = job;
    expect(await client.read(job.job_id)).toMatchObject(rest);
  }
  const replayed = await posted([...BEFORE, ...SINCE.slice(1)]);
  expect(replayed.map(({ job_id }) => job_id)).toEqual([...before, ...kept].map(({ job_id }) => job_id));
  expect(await client.balance()).toBe(balance + 1);
  expect(await operator('sweep', 'run', '--wait')).toMatchObject({ removed: 0 });
  expect(await operator('reconcile', 'run')).toMatchObject({ refunded: 0 });
  expect(new Set(await served([...before, ...kept]))).toEqual(new Set([200]));
  await operator('ledger', 'audit');
  expect(await running.stop()).toEqual([0, 0, 0]);
  await mongo.db.dropDatabase();
});
