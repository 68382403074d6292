import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largeImage } from '../setup/images.ts';
import { expectConsistent } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { acceptDuring, pauseAtEveryStep, resume } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

/** How long the process hangs: longer than every timeout that applies to it. */
const HANG_MS = 20_000;

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test.each(['worker', 'mongod', 'temporal'] as const)(
  'SIGSTOP of %s for 20 s, with a job at every step',
  async (name) => {
    const paused = await pauseAtEveryStep(world, 2 * HANG_MS);
    const process = world.processes[name];
    process.pause();
    const [placed] = await Promise.all([resume(paused), delay(HANG_MS).then(() => process.resume())]);
    await expectConsistent(world, placed);
  },
);

test('SIGSTOP of the API for 20 s, after Temporal has got the request', async () => {
  const { api } = world.processes;
  const start = () => {
    api.pause();
    setTimeout(() => api.resume(), HANG_MS);
  };
  const placed = await acceptDuring(world, { start, end: () => {}, timeoutMs: 2 * HANG_MS });
  await expectConsistent(world, placed);
});

/** Which part of a request has been sent when the process stops. */
const SENT: [name: string, part: (head: number, all: number) => number][] = [
  ['nothing', () => 0],
  ['half of the head', (head) => head / 2],
  ['the head', (head) => head],
  ['half of the body', (head, all) => (head + all) / 2],
  ['all but one byte', (_, all) => all - 1],
];

test('SIGSTOP of the API for 20 s, while the bodies of requests arrive', async () => {
  const { api } = world.processes;
  const large = { ...world, image: await largeImage(4_000_000) };
  const uploads = await Promise.all(
    [...SENT, ...SENT, ...SENT].map(async ([name, part], n) => {
      const order = await newOrder(n < SENT.length ? world : large, name);
      const upload = await order.upload();
      await upload.send(Math.floor(part(upload.head, upload.length)));
      return { order, upload };
    }),
  );
  // Its response shows that the API has read what was sent before.
  await uploads[0]?.order.read('none');
  api.pause();
  const sent = uploads.map(({ upload }) => upload.send(upload.length));
  await delay(HANG_MS);
  api.resume();
  await Promise.all(sent);
  const placed = await Promise.all(
    uploads.map(async ({ order, upload }) => ({ order, first: await upload.response })),
  );
  expect(placed.map(({ order, first }) => [order.name, first.status, first.body.error])).toEqual(
    placed.map(({ order }) => [order.name, 201, undefined]),
  );
  await expectConsistent(world, placed);
});
