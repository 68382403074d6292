import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { createJobBodyReader, type JobBody } from '../../api/intake/job-body.ts';
import { inspectImage } from '../../lib/imaging/inspect.ts';
import type { Round } from './intake-server.ts';
import { timed } from './load.ts';
import { jobBody, largestImage } from './sample-images.ts';
import { formatTable, median, type Row } from './table.ts';

const MB = 1024 * 1024;
const ROUNDS = 9;
const AT_ONCE = 8;
/** Bytes that a socket delivers at a time. */
const CHUNK = 64 * 1024;

/** Compares reading a body, with an image or an ignored field of nearly 20 MB, with SHA-256 over the same bytes. */
export async function benchIntake(): Promise<Row[]> {
  const image = await largestImage();
  const body = jobBody(image);
  const ignored = Buffer.from(JSON.stringify({ tool: 'declutter', mask: image.toString('base64') }));
  const rows = [
    await compareWithSha('intake of a 20 MB image', body, takeIn, 4.5),
    await compareWithSha('the same in an ignored field', ignored, read, 3),
  ];
  const single = await postRounds(body, ROUNDS, 1);
  // In a fresh process, so that memory freed after the single bodies is not reused.
  const [together] = await postRounds(body, 1, AT_ONCE);
  return [
    ...rows,
    {
      what: 'longest event-loop block by one body',
      value: Math.max(...single.map(({ longestBlockMs }) => longestBlockMs)),
      unit: 'ms',
      goal: { atMost: 80 },
    },
    {
      what: `longest block by ${AT_ONCE} at once`,
      value: together?.longestBlockMs ?? Number.NaN,
      unit: 'ms',
    },
    {
      what: `extra RSS of ${AT_ONCE} bodies held at once`,
      value: (together?.extraRssBytes ?? Number.NaN) / MB,
      unit: 'MB',
      goal: { atMost: 450 },
    },
  ];
}

async function postRounds(body: Buffer, rounds: number, atOnce: number): Promise<Round[]> {
  const { child, port } = await startServer();
  try {
    const reports: Round[] = [];
    for (let n = 0; n < rounds; n++) reports.push(await postRound(child, port, body, atOnce));
    return reports;
  } finally {
    child.kill();
  }
}

async function compareWithSha(
  subject: string,
  body: Buffer,
  run: (body: Buffer) => void,
  atMost: number,
): Promise<Row> {
  const shaMs: number[] = [];
  const intakeMs: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    shaMs.push(await timed(() => createHash('sha256').update(body).digest()));
    intakeMs.push(await timed(() => run(body)));
  }
  const [value, baseline] = [median(intakeMs), median(shaMs)];
  const what = `${subject} (baseline: SHA-256 of the body)`;
  return { what, value, unit: 'ms', baseline, ratio: value / baseline, goal: { atMost } };
}

/** Processes a complete body as the API does: reads it in chunks, decodes and hashes it, inspects the image. */
export function takeIn(body: Buffer): void {
  const { image } = read(body);
  if (image === undefined || 'malformed' in image || !inspectImage(image.bytes).ok)
    throw new Error('The intake refused the body of the benchmark.');
}

function read(body: Buffer): JobBody {
  const reader = createJobBodyReader(body.length);
  for (let at = 0; at < body.length; at += CHUNK) reader.write(body.subarray(at, at + CHUNK));
  return reader.end();
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(new URL('./intake-server.ts', import.meta.url), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

async function postRound(child: ChildProcess, port: number, body: Buffer, count: number): Promise<Round> {
  const ready = once(child, 'message');
  child.send(count);
  await ready;
  const report = once(child, 'message');
  const posts = Array.from({ length: count }, () => post(port, body));
  const statuses = await Promise.all(posts);
  if (statuses.some((status) => status !== 201))
    throw new Error(`The requests were answered ${statuses.join(', ')}.`);
  const [round] = (await report) as [Round];
  return round;
}

async function post(port: number, body: Buffer): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
    body: new Uint8Array(body.buffer, body.byteOffset, body.length),
  });
  await response.arrayBuffer();
  return response.status;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${formatTable(await benchIntake())}\n`);
