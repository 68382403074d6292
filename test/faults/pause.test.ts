import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { expectConsistent } from './setup/invariants.ts';
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
