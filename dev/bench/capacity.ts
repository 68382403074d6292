import { availableParallelism } from 'node:os';
import { withResources } from '../../lib/process/resources.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { startReceiver } from '../soak/receiver.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { childrenOf } from './children.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import type { BenchEnvironment } from './environment.ts';
import { type MarginalCpu, marginalCpu, sum } from './marginal-cpu.ts';
import { createPoster, type Poster } from './poster.ts';
import { AT_ONCE, untilDone } from './rounds.ts';
import { photo } from './sample-images.ts';
import { startService } from './service.ts';
import type { Row } from './table.ts';

const CALLERS = 100;
const MB = 1024 * 1024;
/** Rarely, because asking Temporal costs it processor time. */
const POLL_MS = 1000;
const IMAGE_PROCESS = 'image process';
const isImageProcess = (name: string) => name.startsWith(IMAGE_PROCESS);

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
  const { counted, service, proxies } = opened;
  await using poster = await posterOf(opened, kind);
  const queue = taskQueues(counted.config.temporal.taskQueuePrefix).jobs;
  const run = (jobs: number) =>
    untilDone(counted, { accept: poster.post, queue, pids: {} }, jobs, AT_ONCE, POLL_MS);
  await run(kind.warmUp);
  const before = await countersOf(counted, proxies);
  const cpu = await marginalCpu(pidsOf(counted, service), () => run(kind.jobs));
  const after = await countersOf(counted, proxies);
  const row = (what: string, value: number, unit = ''): Row => ({
    what: `${kind.name}: ${what}`,
    value,
    unit,
  });
  return [
    ...Object.entries(cpu.cpuMs).map(([name, ms]) => row(`processor time, ${name}`, ms / kind.jobs, 'ms')),
    ...Object.entries(after).map(([name, { value, unit }]) =>
      row(name, (value - (before[name]?.value ?? 0)) / kind.jobs, unit),
    ),
    ...(await historyRows(counted, await poster.post(), row)),
    row('processors in use without jobs', cpu.idle),
    predicted(kind, cpu),
  ];
}

async function posterOf({ counted, service, receiver }: Opened, { notified }: Kind): Promise<Poster> {
  const image = await photo(1600, 1200);
  const body = JSON.stringify({
    tool: 'image-enhancement',
    image_base64: image.toString('base64'),
    ...(notified ? { webhook_url: receiver.url } : {}),
  });
  const callers = await createCallers(counted, CALLERS);
  return createPoster(service.api.origin, callers, body, AT_ONCE);
}

const pidsOf = ({ serverPids }: BenchEnvironment, { api, worker, renderer }: Opened['service']) => ({
  ...serverPids,
  API: api.process.pid,
  worker: worker.pid,
  renderer: renderer.pid,
  ...Object.fromEntries(childrenOf(renderer.pid).map((pid, n) => [`${IMAGE_PROCESS} ${n + 1}`, pid])),
  'this client': process.pid,
});

type Opened = Awaited<ReturnType<typeof openCounted>>;

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
  row: (what: string, value: number, unit?: string) => Row,
): Promise<Row[]> {
  const workflow = temporal.workflow.getHandle(jobWorkflowId(jobId));
  await workflow.result();
  const { historyLength, historySize } = await workflow.describe();
  return [row('Temporal, events', historyLength), row('Temporal, history', (historySize ?? 0) / 1024, 'kB')];
}

/** The part that saturates first decides: the image processes, which work on one image at a time, or the machine. */
function predicted({ name, jobs }: Kind, { cpuMs, idle, tookMs }: MarginalCpu): Row {
  const images = Object.keys(cpuMs).filter(isImageProcess);
  const imageMs = images.reduce((total, process) => total + (cpuMs[process] ?? 0), 0) / jobs;
  const baseline = Math.min(
    ((availableParallelism() - idle) * 1000 * jobs) / sum(cpuMs),
    (images.length * 1000) / imageMs,
  );
  const value = jobs / (tookMs / 1000);
  return {
    what: `${name}: completed a second (baseline: predicted)`,
    value,
    unit: '1/s',
    baseline,
    ratio: value / baseline,
    goal: { atLeast: 0.75 },
  };
}
