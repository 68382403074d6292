import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { expectSettled } from './setup/invariants.ts';
import { acceptThrough, goOn, standEverywhere } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

/** How long the process hangs: longer than every time-out that watches over it. */
const HANGS_MS = 20_000;

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test.each(['worker', 'mongod', 'temporal'] as const)(
  'SIGSTOP of %s for 20 s, with a job at every step of its life',
  async (victim) => {
    const standing = await standEverywhere(world);
    const process = world.processes[victim];
    process.pause();
    const [placed] = await Promise.all([goOn(standing), delay(HANGS_MS).then(() => process.resume())]);
    await expectSettled(world, placed);
  },
);

test('SIGSTOP of the API for 20 s, once Temporal has the request', async () => {
  const { api } = world.processes;
  const strike = () => {
    api.pause();
    setTimeout(() => api.resume(), HANGS_MS);
  };
  const placed = await acceptThrough(world, { strike, mend: () => {}, answerWithinMs: 2 * HANGS_MS });
  await expectSettled(world, placed);
});
