import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { createJobBodyReader } from '../../api/intake/body.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import { jobBody, largestImage } from './images.ts';
import type { Round } from './intake-server.ts';
import { formatTable, median, type Row } from './table.ts';

const MB = 1024 * 1024;
const ROUNDS = 9;
const AT_ONCE = 8;
/** Bytes that a socket delivers at a time. */
const CHUNK = 64 * 1024;

/** Compares reading a body with an image of nearly 20 MB with SHA-256 over the same bytes. */
export async function benchIntake(): Promise<Row[]> {
  const body = jobBody(await largestImage());
  const shaRow = compareWithSha(body);
  const single = await postRounds(body, ROUNDS, 1);
  // In a fresh process, so that memory freed after the single bodies is not reused.
  const [together] = await postRounds(body, 1, AT_ONCE);
  return [
    shaRow,
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

function compareWithSha(body: Buffer): Row {
  const shaMs: number[] = [];
  const intakeMs: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    shaMs.push(timed(() => createHash('sha256').update(body).digest()));
    intakeMs.push(timed(() => takeIn(body)));
  }
  const [value, baseline] = [median(intakeMs), median(shaMs)];
  const what = 'intake of a 20 MB image (baseline: SHA-256 of the body)';
  return { what, value, unit: 'ms', baseline, ratio: value / baseline, goal: { atMost: 4.5 } };
}

/** Processes a complete body as the API does: reads it in chunks, decodes and hashes it, inspects the image. */
export function takeIn(body: Buffer): void {
  const reader = createJobBodyReader(body.length);
  for (let at = 0; at < body.length; at += CHUNK) reader.write(body.subarray(at, at + CHUNK));
  const { image } = reader.end();
  if (image === undefined || 'malformed' in image || !inspectImage(image.bytes).ok)
    throw new Error('The intake refused the body of the benchmark.');
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
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
