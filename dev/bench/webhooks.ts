import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Agent } from 'undici';
import { type DeliveryDeps, deliver } from '../../activities/webhooks/attempt.ts';
import { pendingDeliveryOf } from '../../activities/webhooks/pending-delivery.ts';
import { webhookPolicy } from '../../activities/webhooks/policy.ts';
import { newDelivery } from '../../lib/domain/delivery.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { collections, toRecord } from '../../lib/stores/mongo/documents.ts';
import type { Bench, BenchEnvironment } from './environment.ts';
import { requestsPerSecond } from './load.ts';
import { compared, type Goal, type Pair, type Row } from './report.ts';
import { completedJob, createCallers } from './requests.ts';

const CONCURRENCY = 50;
const DELIVERIES = 1500;
const ROUNDS = 3;

/** Delays of the receiver. With 0 only the service costs time. */
const RECEIVERS: readonly { answerMs: number; goal?: Goal }[] = [
  { answerMs: 50, goal: { atLeast: 0.5 } },
  { answerMs: 0 },
];

/**
 * Compares the delivery activity, which reads account and job, records the attempt, signs, sends
 * and records the outcome in MongoDB, with a loop of POSTs to the same receiver.
 */
export const benchWebhooks: Bench = async (environment) => {
  const program = join(import.meta.dirname, 'webhook-receiver.ts');
  const receiver = fork(program, { execArgv: ['--import', 'tsx'] });
  try {
    const [port] = await once(receiver, 'message');
    const rows: Row[] = [];
    for (const { answerMs, goal } of RECEIVERS) {
      const what = `webhooks, ${CONCURRENCY} at a time, answered after ${answerMs} ms (baseline: bare POSTs)`;
      rows.push(compared(what, '1/s', await rounds(environment, `http://127.0.0.1:${port}`, answerMs), goal));
    }
    return rows;
  } finally {
    receiver.kill();
  }
};

async function rounds(environment: BenchEnvironment, origin: string, answerMs: number): Promise<Pair[]> {
  await using egress = createEgress({ allowOrigins: [origin] });
  const { stores } = environment;
  const deps: DeliveryDeps = { stores, egress, images: { resultUrl: (key) => `https://images.test/${key}` } };
  const policy = webhookPolicy();
  const measured: Pair[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const deliveries = await planDeliveries(environment, `${origin}/${answerMs}`);
    const value = await requestsPerSecond(DELIVERIES, CONCURRENCY, async (n) => {
      const delivery = deliveries[n];
      if (delivery === undefined) throw new Error('A delivery of the benchmark is missing.');
      const { state } = await deliver(deps, policy, delivery, new AbortController().signal);
      if (state !== 'delivered') throw new Error(`A delivery of the benchmark is ${state}.`);
    });
    measured.push({ value, baseline: await bareRate(origin, `/${answerMs}`) });
  }
  return measured;
}

async function bareRate(origin: string, path: string): Promise<number> {
  const agent = new Agent({ connections: CONCURRENCY });
  const body = 'x'.repeat(600);
  const headers = { 'content-type': 'application/json' };
  const result = await requestsPerSecond(DELIVERIES, CONCURRENCY, async () => {
    const response = await agent.request({ origin, path, method: 'POST', headers, body });
    await response.body.dump();
  });
  await agent.close();
  return result;
}

/** Pending deliveries of completed jobs of a new account. The jobs are copies of one. */
async function planDeliveries(environment: BenchEnvironment, url: string): Promise<PendingDelivery[]> {
  const { stores, mongo } = environment;
  const [caller] = await createCallers(environment, 1, { webhookUrl: url });
  const { jobs } = collections(mongo.db);
  const job = caller && (await jobs.findOne({ _id: await completedJob(environment, caller) }));
  if (!job) throw new Error('There is no job to notify of.');
  const copies = Array.from({ length: DELIVERIES }, () => ({ ...job, _id: randomUUID() }));
  await jobs.insertMany(copies);
  return Promise.all(
    copies.map(async (copy) => {
      const delivery = newDelivery(toRecord(copy), 'completed', { target: 'account', url });
      return pendingDeliveryOf(await stores.deliveries.plan(delivery));
    }),
  );
}
