import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import type { Job, JobCreated } from '../../lib/contract/schemas.ts';
import { environment } from '../../lib/process/config/config.ts';
import { startBalancer } from '../setup/balancer.ts';
import { eventually } from '../setup/eventually.ts';
import { sampleImage } from '../setup/images.ts';
import { ownBuckets } from '../setup/own-config.ts';
import { type Release, type Running, today } from '../setup/release.ts';

const JOBS_PER_SECOND = 5;
/** Each may post 60 times a minute. */
const ACCOUNTS = 6;

test('processes that are restarted one after another under load lose no request and no job', {
  timeout: 300_000,
}, async () => {
  const id = randomUUID().slice(0, 8);
  const release = today({
    ...environment(),
    ...inject('env'),
    MONGODB_DATABASE: `test_rolling_${id}`,
    ...ownBuckets(id),
    TASK_QUEUE_PREFIX: `rolling-${id}-`,
    TRUST_PROXY: '127.0.0.1',
    GENERATORS: 'preview',
    API_PORT: '0',
    LOG_LEVEL: 'info',
  });
  await release.operator('setup');
  const clients: Client[] = [];
  for (let n = 0; n < ACCOUNTS; n += 1) clients.push(await newClient(release));
  const apis = [await release.api(), await release.api()];
  const workers = [await release.worker(), await release.worker()];
  const renderers = [await release.renderer(), await release.renderer()];
  await using balancer = await startBalancer();
  const serve = () => balancer.serve(apis.map(({ address }) => address));
  serve();

  const load = startLoad(balancer.origin, clients, await sampleImage());
  await restartEach(apis, release.api, serve);
  await restartEach(workers, release.worker);
  await restartEach(renderers, release.renderer);
  const { jobs, problems } = await load.stop();

  expect(problems).toEqual([]);
  for (const { id, headers } of jobs)
    await eventually(async () => {
      const response = await fetch(`${balancer.origin}/api/v1/jobs/${id}`, { headers });
      expect(((await response.json()) as Job).status).toBe('completed');
    });
  const ledgers = clients.map(({ accountId }) => ledgerOf(release, accountId));
  const charged = (await Promise.all(ledgers)).flat().filter((id) => id.startsWith('charge:'));
  expect(charged.sort()).toEqual(jobs.map(({ id }) => `charge:${id}`).sort());
  await Promise.all([...apis, ...workers, ...renderers].map((running) => running.stop()));
});

interface Client {
  accountId: string;
  headers: Record<string, string>;
}

async function newClient({ operator }: Release): Promise<Client> {
  const { account_id = '' } = await operator('account', 'create', '--name', 'Client');
  await operator('pack', 'add', '--account', account_id, '--images', '1000');
  const { api_key = '' } = await operator('key', 'create', '--account', account_id, '--name', 'Key');
  return { accountId: account_id, headers: { 'X-Api-Key': api_key, 'Content-Type': 'application/json' } };
}

const ledgerOf = async ({ operator }: Release, accountId: string) =>
  (await operator<{ id: string }[]>('ledger', 'list', '--account', accountId)).map(({ id }) => id);

/** Stops each process and starts another one in its place. */
async function restartEach<R extends Running>(
  running: R[],
  start: () => Promise<R>,
  replaced: () => void = () => {},
): Promise<void> {
  for (const [index, old] of running.entries()) {
    expect(await old.stop()).toBe(0);
    running[index] = await start();
    replaced();
  }
}

/** Posts jobs at a steady rate, each once, until it is stopped. */
function startLoad(origin: string, clients: readonly Client[], image_base64: string) {
  const stopped = new AbortController();
  const jobs: { id: string; headers: Client['headers'] }[] = [];
  const problems: string[] = [];
  const body = JSON.stringify({ tool: 'image-enhancement', image_base64 });
  const post = async ({ headers }: Client) => {
    const response = await fetch(`${origin}/api/v1/jobs`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status === 201) jobs.push({ id: (JSON.parse(text) as JobCreated).job_id, headers });
    else problems.push(`${response.status} ${text}`);
  };
  const run = async () => {
    const posts: Promise<void>[] = [];
    for (let n = 0; !stopped.signal.aborted; n += 1) {
      const client = clients[n % clients.length];
      if (client !== undefined) posts.push(post(client));
      await delay(1000 / JOBS_PER_SECOND);
    }
    await Promise.all(posts);
    return { jobs, problems };
  };
  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
