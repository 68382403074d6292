import { availableParallelism } from 'node:os';
import { taskQueues } from '../../protocol/task-queues.ts';
import { jobWorkflowId } from '../../protocol/workflow-ids.ts';
import { withResources } from '../../runtime/resources.ts';
import { startReceiver } from '../soak/receiver.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { childrenOf } from './children.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import type { BenchEnvironment } from './environment.ts';
import { timed } from './load.ts';
import { createPoster } from './poster.ts';
import { AT_ONCE, untilDone, watchCpu } from './rounds.ts';
import { photo } from './sample-images.ts';
import { startService } from './service.ts';
import type { Row } from './table.ts';

const CALLERS = 100;
const MB = 1024 * 1024;

interface Kind {
  name: string;
  generators: string;
  warmUp: number;
  jobs: number;
  notified?: true;
}

/** What is added to the first one is what it costs by itself. */
const KINDS: readonly Kind[] = [
  { name: 'a job', generators: 'instant', warmUp: 400, jobs: 300 },
  { name: 'a job with a webhook', generators: 'instant', warmUp: 200, jobs: 200, notified: true },
  { name: 'a job rendered here', generators: 'preview', warmUp: 20, jobs: 50 },
];

/**
 * What one job costs each process and each server, for docs/capacity.md. The last row of a kind compares the jobs per
 * second that its processor time predicts for this machine with those that it completes.
 */
export const benchCapacity: Bench = async (environment, only) => {
  const rows: Row[] = [];
  for (const kind of KINDS.filter(({ name }) => name.includes(only)))
    rows.push(...(await costOf(environment, kind)));
  return rows;
};

async function costOf(environment: BenchEnvironment, kind: Kind): Promise<Row[]> {
  await using opened = await openCounted(environment, kind);
  const { counted, service, receiver, proxies } = opened;
  const { renderer, worker, api } = service;
  const image = await photo(1600, 1200);
  const body = JSON.stringify({
    tool: 'image-enhancement',
    image_base64: image.toString('base64'),
    ...(kind.notified ? { webhook_url: receiver.url } : {}),
  });
  const callers = await createCallers(counted, CALLERS);
  await using poster = createPoster(api.origin, callers, body, AT_ONCE);
  const subject = {
    accept: poster.post,
    queue: taskQueues(counted.config.temporal.taskQueuePrefix).jobs,
    pids: {},
  };
  await untilDone(counted, subject, kind.warmUp, AT_ONCE);
  const cpu = watchCpu({
    ...counted.serverPids,
    API: api.process.pid,
    worker: worker.pid,
    renderer: renderer.pid,
    ...Object.fromEntries(childrenOf(renderer.pid).map((pid, n) => [`image process ${n + 1}`, pid])),
  });
  const before = await countersOf(counted, proxies);
  const tookMs = await timed(() => untilDone(counted, subject, kind.jobs, AT_ONCE));
  const after = await countersOf(counted, proxies);
  const cpuMs = Object.entries(cpu()).map(([name, ms]) => [name, ms / kind.jobs] as const);
  const row = (what: string, value: number, unit: string): Row => ({
    what: `${kind.name}: ${what}`,
    value,
    unit,
  });
  return [
    ...cpuMs.map(([name, ms]) => row(`processor time, ${name}`, ms, 'ms')),
    ...Object.entries(after).map(([name, { value, unit }]) =>
      row(name, (value - (before[name]?.value ?? 0)) / kind.jobs, unit),
    ),
    ...(await historyRows(counted, await poster.post(), row)),
    predicted(
      kind,
      cpuMs.reduce((sum, [, ms]) => sum + ms, 0),
      kind.jobs / (tookMs / 1000),
    ),
  ];
}

/** The service behind proxies that count its calls to Temporal and S3. */
function openCounted(environment: BenchEnvironment, { generators }: Kind) {
  return withResources(async (keep) => {
    const receiver = keep(await startReceiver());
    const temporal = keep(await startCountingProxy(environment.config.temporal.address));
    const s3 = keep(await startCountingProxy(new URL(environment.config.s3.endpoint ?? '').host));
    const settings = {
      GENERATORS: generators,
      EGRESS_ALLOW_ORIGINS: receiver.origin,
      TEMPORAL_ADDRESS: temporal.address,
      S3_ENDPOINT: `http://${s3.address}`,
    };
    const counted = { ...environment, env: { ...environment.env, ...settings } };
    const service = keep(await startService(counted));
    return { counted, service, receiver, proxies: { temporal, s3 } };
  });
}

type Counters = Record<string, { value: number; unit: string }>;

async function countersOf(
  { mongo }: BenchEnvironment,
  { temporal, s3 }: Record<'temporal' | 's3', CountingProxy>,
): Promise<Counters> {
  const status = await mongo.db.command({ serverStatus: 1 });
  const { dataSize, indexSize } = await mongo.db.command({ dbStats: 1 });
  const { insert, query, update, delete: deletes, command } = status.opcounters;
  const requests = Object.entries(s3.traffic().requests).map(([method, value]) => [
    `S3, ${method} requests`,
    { value, unit: '' },
  ]);
  return {
    'MongoDB, operations': { value: insert + query + update + deletes + command, unit: '' },
    'MongoDB, documents and indexes': { value: (dataSize + indexSize) / 1024, unit: 'kB' },
    'MongoDB, written to the journal': {
      value: status.wiredTiger.log['log bytes written'] / 1024,
      unit: 'kB',
    },
    'MongoDB, network': { value: (status.network.bytesIn + status.network.bytesOut) / 1024, unit: 'kB' },
    'Temporal, network': { value: temporal.traffic().bytes / 1024, unit: 'kB' },
    ...Object.fromEntries(requests),
    'S3, network': { value: s3.traffic().bytes / MB, unit: 'MB' },
  };
}

async function historyRows(
  { temporal }: BenchEnvironment,
  jobId: string,
  row: (what: string, value: number, unit: string) => Row,
): Promise<Row[]> {
  const workflow = temporal.workflow.getHandle(jobWorkflowId(jobId));
  await workflow.result();
  const { historyLength, historySize } = await workflow.describe();
  return [
    row('Temporal, events', historyLength, ''),
    row('Temporal, history', (historySize ?? 0) / 1024, 'kB'),
  ];
}

function predicted({ name }: Kind, cpuMs: number, perSecond: number): Row {
  const baseline = (availableParallelism() * 1000) / cpuMs;
  const what = `${name}: completed a second (baseline: predicted from ${cpuMs.toFixed(0)} ms of processor time)`;
  return {
    what,
    value: perSecond,
    unit: '1/s',
    baseline,
    ratio: perSecond / baseline,
    goal: { atLeast: 0.75 },
  };
}
