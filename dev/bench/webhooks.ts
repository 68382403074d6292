import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent } from 'undici';
import { type DeliveryDeps, deliver } from '../../activities/webhooks/attempt.ts';
import { pendingDeliveryOf } from '../../activities/webhooks/pending-delivery.ts';
import { webhookPolicy } from '../../activities/webhooks/policy.ts';
import { newDelivery } from '../../lib/domain/delivery.ts';
import { issueWebhookSecret } from '../../lib/domain/webhook-signature.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import { type Config, environment, loadConfig } from '../../lib/process/config/config.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { type Mongo, openMongo } from '../../lib/stores/mongo/client.ts';
import { collections, type JobDocument, toRecord } from '../../lib/stores/mongo/documents.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { startServers } from '../servers/start.ts';
import { formatTable, median, type Row } from './table.ts';

const CONCURRENCY = 50;
const DELIVERIES = 1500;
const ROUNDS = 3;

/** Delays of the receiver: 50 ms is one nearby on the internet, 0 shows only the cost of the service. */
const RECEIVERS: readonly { answerMs: number; goal?: Row['goal'] }[] = [
  { answerMs: 50, goal: { atLeast: 0.5 } },
  { answerMs: 0 },
];

/**
 * Compares the delivery activity, which reads account and job, records the attempt, signs, sends and records the
 * outcome in MongoDB, with a bare loop of POSTs with undici to the same receiver.
 */
export async function benchWebhooks(config: Config['mongo']): Promise<Row[]> {
  const mongo = openMongo({ ...config, database: `bench_${randomUUID().slice(0, 8)}` });
  const receiver = fork(new URL('./webhook-receiver.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  try {
    const [port] = await once(receiver, 'message');
    await prepareDatabase(mongo.db);
    const rows: Row[] = [];
    for (const { answerMs, goal } of RECEIVERS) {
      const row = await compare(mongo, `http://127.0.0.1:${port}`, answerMs);
      rows.push({ ...row, ...(goal === undefined ? {} : { goal }) });
    }
    return rows;
  } finally {
    receiver.kill();
    await mongo.db.dropDatabase();
    await mongo[Symbol.asyncDispose]();
  }
}

async function compare(mongo: Mongo, origin: string, answerMs: number): Promise<Row> {
  await using egress = createEgress({ allowOrigins: [origin] });
  const stores = createMongoStores(mongo);
  const deps: DeliveryDeps = { stores, egress, images: { resultUrl: (key) => `https://images.test/${key}` } };
  const policy = webhookPolicy();
  const url = `${origin}/${answerMs}`;
  const service: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const deliveries = await planDeliveries(mongo, deps, url);
    service.push(
      await rate(deliveries, async (delivery) => {
        const { state } = await deliver(deps, policy, delivery, new AbortController().signal);
        if (state !== 'delivered') throw new Error(`A delivery of the benchmark is ${state}.`);
      }),
    );
    bare.push(await bareRate(url));
  }
  const [value, baseline] = [median(service), median(bare)];
  const what = `webhooks, ${CONCURRENCY} at a time, answered after ${answerMs} ms (baseline: bare undici POSTs)`;
  return { what, value, unit: '/s', baseline, ratio: value / baseline };
}

async function bareRate(url: string): Promise<number> {
  const agent = new Agent({ connections: CONCURRENCY });
  const { origin, pathname: path } = new URL(url);
  const body = 'x'.repeat(600);
  const headers = { 'content-type': 'application/json' };
  const result = await rate(Array.from({ length: DELIVERIES }), async () => {
    const response = await agent.request({ origin, path, method: 'POST', headers, body });
    await response.body.dump();
  });
  await agent.close();
  return result;
}

/** Items per second, processed by {@link CONCURRENCY} concurrent loops. */
async function rate<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<number> {
  const queue = items.values();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of queue) await work(item);
    }),
  );
  return (items.length * 1000) / (performance.now() - start);
}

/** Pending deliveries of completed jobs of a new account. */
async function planDeliveries(
  mongo: Mongo,
  { stores }: DeliveryDeps,
  url: string,
): Promise<PendingDelivery[]> {
  const secret = issueWebhookSecret();
  const { id } = await stores.accounts.create({ name: 'Bench', webhookUrl: url, webhookSecret: secret });
  const jobs = Array.from({ length: DELIVERIES }, () => endedJob(id));
  await collections(mongo.db).jobs.insertMany(jobs);
  const pending: PendingDelivery[] = [];
  await rate(jobs, async (job) => {
    const delivery = newDelivery(toRecord(job), 'completed', { target: 'account', url });
    pending.push(pendingDeliveryOf(await stores.deliveries.plan(delivery)));
  });
  return pending;
}

function endedJob(accountId: string): JobDocument {
  const jobId = randomUUID();
  return {
    _id: jobId,
    accountId,
    keyId: 'bench',
    tool: 'image-enhancement',
    status: 'completed',
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: jobWorkflowId(jobId),
    inputs: [],
    results: [{ bucket: 'results', key: `${accountId}/${randomUUID()}-enhanced.jpeg` }],
    error: null,
    idempotencyKey: null,
    answered: [jobId],
    withdrawn: [],
    createdAt: new Date(),
    completedAt: new Date(),
    processingMs: 800,
  };
}

async function main(): Promise<void> {
  const controller = new AbortController();
  await using servers = await startServers({
    dataDir: join(tmpdir(), 'image-job-api-bench'),
    ephemeral: true,
    ui: false,
    say: () => {},
    signal: controller.signal,
    env: environment(),
  });
  const rows = await benchWebhooks(loadConfig(servers.env).mongo);
  process.stdout.write(`${formatTable(rows)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
