import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { Bench } from './bench.ts';
import { callerHeaders, createCallers } from './callers.ts';
import { countClosed, untilClosed } from './closed.ts';
import type { BenchEnvironment } from './environment.ts';
import type { ProcessUsage } from './probe.ts';
import { largestImage } from './sample-images.ts';
import { startApi, startRenderer, startWorker } from './service.ts';
import { median, type Row } from './table.ts';
import type { Upload, Uploaded } from './upload-client.ts';

const MB = 1024 * 1024;
/** Fresh processes of client and API for each kind of body, because memory that one has freed is reused. */
const PROCESSES = 3;
const ROUNDS = 9;

type As = Upload['as'];

interface Measured {
  client: Uploaded[];
  api: ProcessUsage[];
}

/**
 * Compares the upload of a file of nearly 20 MB as a form with that as base64: from the file of the client to the
 * response, in both processes. The API reads either as a stream and holds the image once, so most of the difference is
 * the client's.
 */
export const benchMultipart: Bench = async (environment) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-upload-'));
  const file = join(folder, 'room.jpg');
  try {
    await writeFile(file, await largestImage());
    await using _worker = await startWorker(environment);
    await using _renderer = await startRenderer(environment);
    const measured: Record<As, Measured>[] = [];
    for (let n = 0; n < PROCESSES; n++)
      measured.push({
        base64: await measure(environment, file, 'base64'),
        form: await measure(environment, file, 'form'),
      });
    return rowsOf(measured);
  } finally {
    await rm(folder, { recursive: true });
  }
};

function rowsOf(measured: Record<As, Measured>[]): Row[] {
  const compared = (what: string, unit: string, pick: (measured: Measured) => number): Row => {
    const value = median(measured.map(({ form }) => pick(form)));
    const baseline = median(measured.map(({ base64 }) => pick(base64)));
    return { what, value, unit, baseline, ratio: value / baseline };
  };
  const [what, goal] = ['20 MB as a form (baseline: as base64)', { atMost: 0.6 }];
  return [
    { ...compared(what, 'ms', ({ client }) => median(client.slice(1).map(({ ms }) => ms))), goal },
    { ...compared(`${what}: peak memory of client and API`, 'MB', peakOf), goal },
    compared(`${what}: processor time of the API`, 'ms', ({ api }) =>
      median(api.slice(1).map(({ cpuMs }) => cpuMs)),
    ),
    compared(`${what}: peak memory of the API`, 'MB', ({ api }) => firstOf(api)),
  ];
}

/** Of the first upload of a process. */
const firstOf = ([first]: readonly { extraRssBytes: number }[]) => (first?.extraRssBytes ?? Number.NaN) / MB;
const peakOf = ({ client, api }: Measured) => firstOf(client) + firstOf(api);

async function measure(environment: BenchEnvironment, file: string, as: As): Promise<Measured> {
  const { temporal, config } = environment;
  const queue = taskQueues(config.temporal.taskQueuePrefix).jobs;
  const closed = await countClosed(temporal, queue);
  const callers = await createCallers(environment, 1);
  await using api = await startApi(environment);
  const client = fork(new URL('./upload-client.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const measured: Measured = { client: [], api: [] };
  try {
    await once(client, 'message');
    for (let n = 0; n < ROUNDS; n++) {
      const task = { url: `${api.origin}/api/v1/jobs`, headers: callerHeaders(callers, n), file, as };
      const usage = await api.process.during(async () => {
        measured.client.push(await upload(client, task));
      });
      measured.api.push(usage);
      await untilClosed(temporal, queue, closed + n + 1);
    }
  } finally {
    client.kill();
  }
  return measured;
}

async function upload(client: ChildProcess, task: Upload): Promise<Uploaded> {
  client.send(task);
  const [uploaded] = (await once(client, 'message')) as [Uploaded];
  if (uploaded.status !== 201) throw new Error(`The upload was answered ${uploaded.status}.`);
  return uploaded;
}
