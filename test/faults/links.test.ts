import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSettled } from './setup/invariants.ts';
import type { Fault } from './setup/links.ts';
import { acceptThrough } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ linked: true, env: { ACCEPT_TIMEOUT_MS: '4000' } });
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** gRPC's numbers. All but the last are ones that the SDK does not try again. */
const STATUS = { CANCELLED: 1, FAILED_PRECONDITION: 9, INTERNAL: 13, UNAVAILABLE: 14 };
const { CANCELLED, FAILED_PRECONDITION, INTERNAL, UNAVAILABLE } = STATUS;
const LATE = { lateMs: 6000 };

async function expectSafe(fault: Fault): Promise<void> {
  const { strike, mend } = world.links;
  const placed = await acceptThrough(world, { strike: () => strike(fault), mend });
  await expectSettled(world, placed);
}

describe('a POST is 201 with one charge, or 500 and nothing is kept, while the API', () => {
  test.each<[string, Fault]>([
    ['is cut off from Temporal', { apiToTemporal: 'cut' }],
    ['and Temporal hear nothing of each other', { apiToTemporal: 'swallow' }],
    ['hears nothing of Temporal', { apiToTemporal: 'drop answers' }],
    ['is heard by Temporal 6 s late', { apiToTemporal: LATE }],
  ])('%s', (_, fault) => expectSafe(fault));

  test.each(Object.entries(STATUS))('is answered %s as soon as Temporal has the request', (_, status) =>
    expectSafe({ answers: { status, when: 'at once' } }),
  );

  test.each<[string, Fault]>([
    ['is heard no more', { apiToMongo: 'swallow', answers: { status: INTERNAL, when: 'afterwards' } }],
    ['hears nothing', { apiToMongo: 'drop answers', answers: { status: UNAVAILABLE, when: 'at once' } }],
    ['is heard 6 s late', { apiToMongo: LATE, answers: { status: FAILED_PRECONDITION, when: 'at once' } }],
    ['is heard 6 s late, and Temporal not at all', { apiToMongo: LATE, apiToTemporal: 'drop answers' }],
  ])("loses Temporal's answer and, on its way to MongoDB, %s", (_, fault) => expectSafe(fault));
});

describe('a POST is 201 with one charge, or 500 and nothing is kept, while the worker', () => {
  test.each<[string, Fault]>([
    ['is cut off from MongoDB', { workerToMongo: 'cut' }],
    ['hears nothing of MongoDB', { workerToMongo: 'drop answers' }],
    ['is heard by MongoDB 6 s late', { workerToMongo: LATE }],
    ['is cut off from Temporal', { workerToTemporal: 'cut' }],
    ['hears nothing of Temporal', { workerToTemporal: 'drop answers' }],
  ])('%s', (_, fault) => expectSafe(fault));
});

test('a 500 that nobody could make sure of is undone once MongoDB can be reached', async () => {
  const { strike, mend } = world.links;
  const away: Fault = { apiToMongo: 'cut', answers: { status: CANCELLED, when: 'at once' } };
  const placed = await acceptThrough(world, { strike: () => strike(away), mend });
  expect(placed.map(({ first }) => first.status)).toEqual(placed.map(() => 500));
  await expectSettled(world, placed);
});
