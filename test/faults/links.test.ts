import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectConsistent } from './setup/invariants.ts';
import type { Fault } from './setup/links.ts';
import { acceptDuring } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ linked: true, env: { ACCEPT_TIMEOUT_MS: '4000' } });
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** gRPC status codes. The SDK retries only the last one. */
const STATUS = { CANCELLED: 1, FAILED_PRECONDITION: 9, INTERNAL: 13, UNAVAILABLE: 14 };
const { CANCELLED, FAILED_PRECONDITION, INTERNAL, UNAVAILABLE } = STATUS;
const DELAYED = { delayMs: 6000 };

async function expectSafe(fault: Fault): Promise<void> {
  const { inject, clear } = world.links;
  const placed = await acceptDuring(world, { start: () => inject(fault), end: clear });
  await expectConsistent(world, placed);
}

describe('a POST is 201 with one charge, or 500 without a trace, while the API', () => {
  test.each<[string, Fault]>([
    ['is disconnected from Temporal', { apiToTemporal: 'cut' }],
    ['and Temporal lose all traffic', { apiToTemporal: 'drop all' }],
    ["loses Temporal's responses", { apiToTemporal: 'drop responses' }],
    ['reaches Temporal 6 s late', { apiToTemporal: DELAYED }],
  ])('%s', (_, fault) => expectSafe(fault));

  test.each(Object.entries(STATUS))('gets %s as soon as Temporal has the request', (_, status) =>
    expectSafe({ responses: { status, when: 'immediately' } }),
  );

  test.each<[string, Fault]>([
    ['loses all traffic', { apiToMongo: 'drop all', responses: { status: INTERNAL, when: 'afterwards' } }],
    [
      'loses the responses',
      { apiToMongo: 'drop responses', responses: { status: UNAVAILABLE, when: 'immediately' } },
    ],
    ['is 6 s late', { apiToMongo: DELAYED, responses: { status: FAILED_PRECONDITION, when: 'immediately' } }],
    ["is 6 s late, without Temporal's connection", { apiToMongo: DELAYED, apiToTemporal: 'drop responses' }],
  ])("loses Temporal's response and, to MongoDB, %s", (_, fault) => expectSafe(fault));
});

describe('a POST is 201 with one charge, or 500 without a trace, while the worker', () => {
  test.each<[string, Fault]>([
    ['is disconnected from MongoDB', { workerToMongo: 'cut' }],
    ["loses MongoDB's responses", { workerToMongo: 'drop responses' }],
    ['reaches MongoDB 6 s late', { workerToMongo: DELAYED }],
    ['is disconnected from Temporal', { workerToTemporal: 'cut' }],
    ["loses Temporal's responses", { workerToTemporal: 'drop responses' }],
  ])('%s', (_, fault) => expectSafe(fault));
});

test('a request answered 500 without a fence is voided once MongoDB is reachable', async () => {
  const { inject, clear } = world.links;
  const fault: Fault = { apiToMongo: 'cut', responses: { status: CANCELLED, when: 'immediately' } };
  const placed = await acceptDuring(world, { start: () => inject(fault), end: clear });
  expect(placed.map(({ first }) => first.status)).toEqual(placed.map(() => 500));
  await expectConsistent(world, placed);
});
