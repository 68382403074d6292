import { createHash, randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { createJobBodyReader, type JobBody } from '../../api/intake/job-body.ts';
import { inspectImage } from '../../lib/imaging/inspect.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { createS3Client } from '../../lib/stores/s3/client.ts';
import { startBare } from './bare.ts';
import type { Bench, BenchEnvironment } from './environment.ts';
import { largestImage, quickImage } from './images.ts';
import { timed, untilCompleted } from './load.ts';
import { type MeasuredServer, startMeasuredService } from './processes.ts';
import { compared, median, type Pair, type Row } from './report.ts';
import { createBenchClient, createCallers, jobBody } from './requests.ts';

const MB = 1024 * 1024;
const ROUNDS = 9;
const AT_ONCE = 8;
/** Bytes that a socket delivers at a time. */
const CHUNK = 64 * 1024;
const BLOCK_MS = 80;
const EXTRA_RSS_MB = 450;

/** The intake of 20 MB: its parser against SHA-256, and a POST against its parts. */
export const benchIntake: Bench = async (environment) => {
  const image = await largestImage();
  const body = jobBody(image);
  const ignored = Buffer.from(JSON.stringify({ tool: 'declutter', mask: image.toString('base64') }));
  return [
    await parserRow('intake of a 20 MB image', body, takeIn, 4.5),
    await parserRow('the same in an ignored field', ignored, read, 3),
    ...(await oneByOne(environment, image)),
    await together(environment, image),
  ];
};

async function parserRow(subject: string, body: Buffer, run: (body: Buffer) => void, atMost: number) {
  const rounds: Pair[] = [];
  for (let n = 0; n < ROUNDS; n++)
    rounds.push({
      baseline: await timed(() => createHash('sha256').update(body).digest()),
      value: await timed(() => run(body)),
    });
  return compared(`${subject} (baseline: SHA-256 of the body)`, 'ms', rounds, { atMost });
}

/** Reads a body in chunks, decodes and hashes it, and inspects the image, like the API. */
function takeIn(body: Buffer): void {
  const { image } = read(body);
  if (image === undefined || 'malformed' in image || !inspectImage(image.bytes).ok)
    throw new Error('The intake refused the body of the benchmark.');
}

function read(body: Buffer): JobBody {
  const reader = createJobBodyReader(body.length);
  for (let at = 0; at < body.length; at += CHUNK) reader.write(body.subarray(at, at + CHUNK));
  return reader.end();
}

async function oneByOne(environment: BenchEnvironment, image: Buffer): Promise<Row[]> {
  await using bare = await startBare(environment);
  await using service = await startMeasuredService(environment);
  const post = await posterOf(environment, service.api, jobBody(image));
  const body = jobBody(image);
  const rounds: (Pair & { blockMs: number })[] = [];
  for (let n = 0; n <= ROUNDS; n++) {
    const { longestBlockMs: blockMs, result: value } = await post(1);
    const baseline =
      (await timed(() => takeIn(body))) +
      (await timed(() => putBare(environment, image))) +
      (await timed(bare.updateWithStart));
    rounds.push({ value, baseline, blockMs });
  }
  // The first round is for V8, which optimises the code.
  const warm = rounds.slice(1);
  const blocks = warm.map(({ blockMs }) => blockMs);
  const [unit, goal] = ['ms', { atMost: BLOCK_MS }];
  return [
    compared('POST of a 20 MB image (baseline: intake + PutObject + Update-with-Start)', 'ms', warm, {
      atMost: 1.5,
    }),
    { what: 'longest event-loop block of the API by such a POST, median', value: median(blocks), unit, goal },
    {
      what: 'longest event-loop block of the API by such a POST, worst',
      value: Math.max(...blocks),
      unit,
      goal,
    },
  ];
}

/** In a fresh process, because memory that the single bodies have freed would be used again. */
async function together(environment: BenchEnvironment, image: Buffer): Promise<Row> {
  await using service = await startMeasuredService(environment);
  await (await posterOf(environment, service.api, jobBody(await quickImage())))(1);
  const { extraRssBytes } = await (await posterOf(environment, service.api, jobBody(image)))(AT_ONCE);
  return {
    what: `extra RSS of the API by ${AT_ONCE} such POSTs at once`,
    value: extraRssBytes / MB,
    unit: 'MB',
    goal: { atMost: EXTRA_RSS_MB },
  };
}

/**
 * @returns a function that posts the body so many times at once. It then waits until the jobs are
 * rendered, so that they do not disturb the next measurement. Its result is the milliseconds until
 * all were answered.
 */
async function posterOf(environment: BenchEnvironment, api: MeasuredServer, body: Buffer) {
  const { temporal, config } = environment;
  const { jobs: queue } = taskQueues(config.temporal.taskQueuePrefix);
  const callers = await createCallers(environment, 1);
  return async (count: number) => {
    await using client = createBenchClient(api.origin, callers, count);
    const posts = () => Promise.all(Array.from({ length: count }, () => client.post(body)));
    return await untilCompleted(temporal, queue, count, () => api.during(() => timed(posts)));
  };
}

async function putBare({ config: { s3 } }: BenchEnvironment, image: Buffer): Promise<void> {
  const client = createS3Client(s3);
  try {
    await client.send(
      new PutObjectCommand({ Bucket: s3.inputsBucket, Key: `bare/${randomUUID()}`, Body: image }),
    );
  } finally {
    client.destroy();
  }
}
