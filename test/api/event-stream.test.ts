import { expect, test } from 'vitest';
import { eventsOf, type Watched } from '../../api/waiting/event-stream.ts';
import type { WaiterNews } from '../../api/waiting/waiters.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { JobRecord } from '../../lib/domain/records.ts';

const JOB: JobRecord = {
  id: 'j',
  accountId: 'a',
  keyId: 'k',
  tool: 'pool',
  status: 'processing',
  imagesCharged: 1,
  options: {},
  warnings: [],
  webhookUrl: null,
  workflowId: 'w',
  inputs: [],
  results: [],
  error: null,
  idempotencyKey: null,
  createdAt: new Date(0),
  completedAt: null,
  processingMs: null,
};
const END = { status: 'completed', completedAt: new Date(1), processingMs: 1 } as const;
const PROGRESS = { elapsed_ms: 1, expected_ms: 2 };
const NEVER = Number.POSITIVE_INFINITY;
const TIMES = { streamMs: NEVER, heartbeatMs: NEVER, progressMs: 7, reconnectMs: 0 };

/** A waiter that is told these, one for each wait; then its process shuts down. */
function waiterOf(...news: (WaiterNews | undefined)[]) {
  const waits: number[] = [];
  return {
    waits,
    async news(ms: number) {
      waits.push(ms);
      return news.shift();
    },
    get isOver() {
      return news.length === 0;
    },
  };
}

async function eventsFor(watched: Partial<Watched>, times: Partial<typeof TIMES> = {}): Promise<string[]> {
  const usualTimes = { saw: () => {}, progress: () => undefined };
  const present = (job: JobRecord) => presentJob(job, { resultUrl: (key) => key });
  const all = { job: JOB, waiter: undefined, lastEventId: undefined, usualTimes, present, ...watched };
  const events: string[] = [];
  for await (const event of eventsOf(all, { ...TIMES, ...times })) events.push(event);
  return events;
}

const RETRY = 'retry: 0\n\n';
const status = (id: string) => expect.stringMatching(`^id: ${id}\nevent: status\ndata: \\{[^\n]*\\}\n\n$`);
const progress = `event: progress\ndata: ${JSON.stringify(PROGRESS)}\n\n`;

test('a stream has the status at the beginning and at the end', async () => {
  expect(await eventsFor({ waiter: waiterOf(undefined, END) })).toEqual([
    RETRY,
    status('processing'),
    status('completed'),
  ]);
});

test('the stream of a job that has ended has its status alone', async () => {
  expect(await eventsFor({ job: { ...JOB, status: 'failed' } })).toEqual([RETRY, status('failed')]);
});

test('a status that the client has received is not repeated; an id that is unknown changes nothing', async () => {
  const waiter = () => waiterOf(END);
  expect(await eventsFor({ waiter: waiter(), lastEventId: 'processing' })).toEqual([
    RETRY,
    status('completed'),
  ]);
  expect(await eventsFor({ waiter: waiter(), lastEventId: 'x\ny' })).toHaveLength(3);
});

test('what the tool usually takes is told at the beginning and after each wait', async () => {
  const usualTimes = { saw: () => {}, progress: () => PROGRESS };
  const waiter = waiterOf(undefined, undefined, END);
  expect(await eventsFor({ waiter, usualTimes })).toEqual([
    RETRY,
    status('processing'),
    progress,
    progress,
    progress,
    status('completed'),
  ]);
  expect(waiter.waits).toEqual([7, 7, 7]);
});

test('comments keep the connection open', async () => {
  expect(await eventsFor({ waiter: waiterOf(undefined, undefined, END) }, { heartbeatMs: 0 })).toEqual([
    RETRY,
    status('processing'),
    ': still processing\n\n',
    ': still processing\n\n',
    status('completed'),
  ]);
});

test('a stream whose time is up, whose process shuts down or that may not wait makes the client connect again', async () => {
  const expected = [RETRY, status('processing'), ': Connect again.\n\n'];
  expect(await eventsFor({ waiter: waiterOf(END) }, { streamMs: 0 })).toEqual(expected);
  expect(await eventsFor({ waiter: waiterOf(undefined) })).toEqual(expected);
  expect(await eventsFor({})).toEqual(expected);
});

test('the stream of a job that is deleted meanwhile ends', async () => {
  expect(await eventsFor({ waiter: waiterOf('gone') })).toEqual([
    RETRY,
    status('processing'),
    ': The job was deleted.\n\n',
  ]);
});

test('the stream of a key that is revoked meanwhile ends without the end of the job', async () => {
  expect(await eventsFor({ waiter: waiterOf('revoked') })).toEqual([
    RETRY,
    status('processing'),
    ': The key was revoked or its account is disabled.\n\n',
  ]);
});

test('a job that has ended says what its tool takes', async () => {
  const seen: unknown[] = [];
  const usualTimes = { saw: (job: object) => seen.push(job), progress: () => undefined };
  await eventsFor({ waiter: waiterOf(END), usualTimes });
  expect(seen).toEqual([{ ...JOB, ...END }]);
});
