import { afterAll, beforeAll, test } from 'vitest';
import { expectSettled } from './setup/invariants.ts';
import { goOn, standEverywhere } from './setup/steps.ts';
import { startWorld, VICTIMS, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.[Symbol.asyncDispose]());

test.each(VICTIMS)('kill -9 of %s, with a job at every step of its life', async (victim) => {
  const standing = await standEverywhere(world);
  await world.processes[victim].stop('SIGKILL');
  const [placed] = await Promise.all([goOn(standing), world.processes[victim].start()]);
  await expectSettled(world, placed);
});
