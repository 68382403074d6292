import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { withResources } from '../../lib/process/resources.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { startSoakReceiver } from '../soak/receiver.ts';
import type { Bench, BenchEnvironment } from './environment.ts';
import { photoLikeJpeg } from './images.ts';
import { closedLoop, timed, untilCompleted } from './load.ts';
import { startMeasuredService } from './processes.ts';
import type { Row } from './report.ts';
import { createBenchClient, createCallers, jobBody } from './requests.ts';
import { type CpuByName, childrenOf, totalCpu, watchCpu } from './usage.ts';

const AT_ONCE = 32;
const CALLERS = 100;
const IDLE_MS = 10_000;
const KB = 1024;
/** Rarely, because asking Temporal costs it processor time. */
const POLL_MS = 1000;
const IMAGE_PROCESS = 'image process';

interface Kind {
  name: string;
  renderer?: string;
  warmUp: number;
  jobs: number;
  notified?: true;
}

/** The first kind is the plain job. What another kind costs more is the cost of what it adds. */
const KINDS: readonly Kind[] = [
  { name: 'a job', warmUp: 400, jobs: 300 },
  { name: 'a job with a webhook', warmUp: 200, jobs: 200, notified: true },
  { name: 'a job rendered here', renderer: 'worker/renderer', warmUp: 20, jobs: 50 },
];

/**
 * What one job costs each process and each server, for docs/capacity.md. The processor time of a
 * job predicts how many jobs per second this machine completes. The last row of a kind compares the
 * prediction with the measurement.
 */
export const benchCapacity: Bench = async (environment, only) => {
  const rows: Row[] = [];
  for (const kind of KINDS.filter(({ name }) => name.includes(only)))
    rows.push(...(await costOf(environment, kind)));
  return rows;
};

async function costOf(environment: BenchEnvironment, kind: Kind): Promise<Row[]> {
  await using opened = await openCounted(environment, kind);
  const { counted, pids, client, body, counters } = opened;
  const queue = taskQueues(counted.config.temporal.taskQueuePrefix).jobs;
  const post = () => client.post(body);
  const run = (jobs: number) =>
    untilCompleted(counted.temporal, queue, jobs, () => closedLoop(jobs, AT_ONCE, post), POLL_MS);
  await run(kind.warmUp);
  const idling = watchCpu(pids);
  await delay(IDLE_MS);
  const idleMs = idling();
  const before = await counters();
  const working = watchCpu(pids);
  const tookMs = await timed(() => run(kind.jobs));
  const cpuMs = Object.fromEntries(
    Object.entries(working()).map(([name, ms]) => [name, ms - ((idleMs[name] ?? 0) * tookMs) / IDLE_MS]),
  );
  const after = await counters();
  const idle = totalCpu(idleMs) / IDLE_MS;
  const row = (what: string, value: number, unit = ''): Row => ({
    what: `${kind.name}: ${what}`,
    value,
    unit,
  });
  const workflow = counted.temporal.workflow.getHandle(jobWorkflowId(await post()));
  await workflow.result();
  const { historyLength, historySize } = await workflow.describe();
  return [
    ...Object.entries(cpuMs).map(([name, ms]) => row(`processor time, ${name}`, ms / kind.jobs, 'ms')),
    ...Object.entries(after).map(([name, value]) => row(name, (value - (before[name] ?? 0)) / kind.jobs)),
    row('Temporal, events', historyLength),
    row('Temporal, history', (historySize ?? 0) / KB, 'kB'),
    row('processors in use without jobs', idle),
    predicted(kind, cpuMs, idle, tookMs),
  ];
}

/** What saturates first decides: the image processes (one image at a time) or the machine. */
function predicted({ name, jobs }: Kind, cpuMs: CpuByName, idle: number, tookMs: number): Row {
  const images = Object.entries(cpuMs).filter(([process]) => process.startsWith(IMAGE_PROCESS));
  const baseline = Math.min(
    ((availableParallelism() - idle) * 1000 * jobs) / totalCpu(cpuMs),
    (images.length * 1000 * jobs) / totalCpu(Object.fromEntries(images)),
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

/** The service behind proxies that count its calls to Temporal and S3. */
function openCounted(environment: BenchEnvironment, { renderer: module, notified }: Kind) {
  return withResources(async (keep) => {
    const receiver = keep(await startSoakReceiver());
    const temporal = keep(await startCountingProxy(environment.config.temporal.address));
    const s3 = keep(await startCountingProxy(new URL(environment.config.s3.endpoint ?? '').host));
    const settings = {
      EGRESS_ALLOW_ORIGINS: receiver.origin,
      TEMPORAL_ADDRESS: temporal.address,
      S3_ENDPOINT: `http://${s3.address}`,
    };
    const counted = { ...environment, env: { ...environment.env, ...settings } };
    const { api, worker, renderer } = keep(await startMeasuredService(counted, module));
    const callers = await createCallers(counted, CALLERS);
    const more = { tool: 'image-enhancement', ...(notified && { webhook_url: receiver.url }) };
    return {
      counted,
      body: jobBody(await photoLikeJpeg(1600, 1200), more),
      client: keep(createBenchClient(api.origin, callers, AT_ONCE)),
      pids: {
        ...counted.serverPids,
        API: api.pid,
        worker: worker.pid,
        renderer: renderer.pid,
        ...Object.fromEntries(childrenOf(renderer.pid).map((pid, n) => [`${IMAGE_PROCESS} ${n + 1}`, pid])),
        'this client': process.pid,
      },
      counters: async (): Promise<Counters> => ({
        ...(await mongoCounters(counted)),
        'Temporal, network in kB': temporal.traffic.bytes / KB,
        'S3, network in kB': s3.traffic.bytes / KB,
        ...Object.fromEntries([...s3.traffic.requests].map(([method, value]) => [`S3, ${method}`, value])),
      }),
    };
  });
}

type Counters = Readonly<Record<string, number>>;

async function mongoCounters({ mongo }: BenchEnvironment): Promise<Counters> {
  const { opcounters, network, wiredTiger } = await mongo.db.command({ serverStatus: 1 });
  const { dataSize, indexSize } = await mongo.db.command({ dbStats: 1 });
  const { insert, query, update, delete: deletes, command } = opcounters;
  return {
    'MongoDB, operations': insert + query + update + deletes + command,
    'MongoDB, documents and indexes in kB': (dataSize + indexSize) / KB,
    'MongoDB, written to the journal in kB': wiredTiger.log['log bytes written'] / KB,
    'MongoDB, network in kB': (network.bytesIn + network.bytesOut) / KB,
  };
}

const REQUEST_LINE = /^(GET|PUT|POST|DELETE|HEAD) \S+ HTTP\/1\.1\r\n/;

/** A TCP proxy on loopback that counts bytes, and HTTP/1.1 requests by method. */
async function startCountingProxy(target: string) {
  const [host, port] = target.split(':');
  const traffic = { bytes: 0, requests: new Map<string, number>() };
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    client.on('data', (chunk: Buffer) => {
      // A client that waits for each response sends the head of a request at the start of a chunk.
      const [, method] = REQUEST_LINE.exec(chunk.toString('latin1', 0, 4096)) ?? [];
      if (method !== undefined) traffic.requests.set(method, (traffic.requests.get(method) ?? 0) + 1);
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('data', (chunk: Buffer) => {
        traffic.bytes += chunk.length;
      });
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [client, upstream].map((each) => each.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, traffic, [Symbol.asyncDispose]: async () => void server.close() };
}
