import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { createJobBodyReader } from '../api/intake/body.ts';
import { inspectImage } from '../imaging/inspect.ts';
import type { Round } from './intake-server.ts';
import { jobBody, largestPicture } from './pictures.ts';
import { formatTable, median, type Row } from './table.ts';

const MB = 1024 * 1024;
const ROUNDS = 9;
const AT_ONCE = 8;
/** What a socket hands over at a time. */
const CHUNK = 64 * 1024;

/** Reading a POST body with a picture of nearly 20 MB (issue: intake), against SHA-256 over the same bytes. */
export async function benchIntake(): Promise<Row[]> {
  const body = jobBody(await largestPicture());
  const shaRow = compareWithSha(body);
  const single = await postRounds(body, ROUNDS, 1);
  // A fresh process, so that nothing the single bodies left behind is used again.
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
  const what = 'intake of a 20 MB picture (baseline: SHA-256 of the body)';
  return { what, value, unit: 'ms', baseline, ratio: value / baseline, goal: { atMost: 4.5 } };
}

/** The intake of a body that is all there: in chunks as a socket hands them over, decoded, hashed and sniffed. */
export function takeIn(body: Buffer): void {
  const reader = createJobBodyReader(body.length);
  for (let at = 0; at < body.length; at += CHUNK) reader.write(body.subarray(at, at + CHUNK));
  const { image } = reader.end();
  if (image === undefined || 'malformed' in image || !inspectImage(image.bytes).ok)
    throw new Error('The body of the benchmark was not taken in.');
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
    throw new Error(`The posts answered ${statuses.join(', ')}.`);
  const [round] = (await report) as [Round];
  return round;
}

async function post(port: number, body: Buffer): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
    body: new Uint8Array(body.buffer, body.byteOffset, body.length),
  });
  await answer.arrayBuffer();
  return answer.status;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${formatTable(await benchIntake())}\n`);
