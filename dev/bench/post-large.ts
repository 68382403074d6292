import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { createS3Client } from '../../lib/stores/s3/client.ts';
import { startBare } from './baselines/start-bare.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { countClosed, untilClosed } from './closed.ts';
import type { BenchEnvironment } from './environment.ts';
import { takeIn } from './intake.ts';
import { timed } from './load.ts';
import { createPoster } from './poster.ts';
import { jobBody, largestImage, quickImage } from './sample-images.ts';
import { type RunningApi, startApi, startRenderer, startWorker } from './service.ts';
import { median, type Row } from './table.ts';

const MB = 1024 * 1024;
const ROUNDS = 9;
const AT_ONCE = 8;

/** Compares a POST of nearly 20 MB with the sum of its necessary steps, and measures the API's process meanwhile. */
export const benchPostLarge: Bench = async (environment) => {
  const image = await largestImage();
  await using _worker = await startWorker(environment);
  await using _renderer = await startRenderer(environment);
  return [...(await oneByOne(environment, image)), await together(environment, image)];
};

async function oneByOne(environment: BenchEnvironment, image: Buffer): Promise<Row[]> {
  await using bare = await startBare(environment);
  await using api = await startApi(environment);
  await using poster = await posterOf(environment, api, jobBody(image), 1);
  const body = jobBody(image);
  const rounds: { post: number; needed: number; blockMs: number }[] = [];
  for (let n = 0; n <= ROUNDS; n++) {
    let post = 0;
    const { longestBlockMs: blockMs } = await api.process.during(async () => {
      post = await timed(poster.post);
    });
    await poster.idle();
    const needed =
      (await timed(() => takeIn(body))) +
      (await timed(() => putBare(environment, image))) +
      (await timed(bare.updateWithStart));
    rounds.push({ post, needed, blockMs });
  }
  const warm = rounds.slice(1);
  const ratio = median(warm.map(({ post, needed }) => post / needed));
  return [
    {
      what: 'POST of a 20 MB image (baseline: intake + PutObject + Update-with-Start)',
      value: median(warm.map(({ post }) => post)),
      unit: 'ms',
      baseline: median(warm.map(({ needed }) => needed)),
      ratio,
      goal: { atMost: 1.5 },
    },
    {
      what: 'longest event-loop block of the API by such a POST, median',
      value: median(warm.map(({ blockMs }) => blockMs)),
      unit: 'ms',
      goal: { atMost: 80 },
    },
    {
      what: 'longest event-loop block of the API by such a POST, worst',
      value: Math.max(...warm.map(({ blockMs }) => blockMs)),
      unit: 'ms',
      goal: { atMost: 80 },
    },
  ];
}

/** In a fresh process, so that memory freed after the single bodies is not reused. */
async function together(environment: BenchEnvironment, image: Buffer): Promise<Row> {
  await using api = await startApi(environment);
  {
    await using small = await posterOf(environment, api, jobBody(await quickImage()), 1);
    await small.post();
    await small.idle();
  }
  await using poster = await posterOf(environment, api, jobBody(image), AT_ONCE);
  const { extraRssBytes } = await api.process.during(() =>
    Promise.all(Array.from({ length: AT_ONCE }, poster.post)),
  );
  await poster.idle();
  return {
    what: `extra RSS of the API by ${AT_ONCE} such POSTs at once`,
    value: extraRssBytes / MB,
    unit: 'MB',
    goal: { atMost: 450 },
  };
}

async function posterOf(
  environment: BenchEnvironment,
  { origin }: RunningApi,
  body: Buffer,
  connections: number,
) {
  const { temporal, config } = environment;
  const { jobs: queue } = taskQueues(config.temporal.taskQueuePrefix);
  const poster = createPoster(origin, await createCallers(environment, 1), body, connections);
  let expected = await countClosed(temporal, queue);
  return {
    async post(): Promise<void> {
      expected += 1;
      await poster.post();
    },
    /** Waits until all posted jobs are rendered, so that they do not disturb the next measurement. */
    idle: () => untilClosed(temporal, queue, expected),
    [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
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
