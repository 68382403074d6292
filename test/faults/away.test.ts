import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../../stack/run/child.ts';
import { expectSettled, nothingRuns } from './setup/invariants.ts';
import { accepted, newOrder } from './setup/order.ts';
import { CHARGED, standAt } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Ways of being away, and back again. */
const ABSENCES = {
  stopped: { go: (server: Child) => server.stop('SIGKILL'), back: (server: Child) => server.start() },
  hanging: { go: async (server: Child) => server.pause(), back: async (server: Child) => server.resume() },
};

const FAILED = { status: 500, body: { error: { code: 'internal_error' } } };

describe.each(['mongod', 'temporal', 'versitygw'] as const)('while %s is away', (name) => {
  test.each(['stopped', 'hanging'] as const)(
    '(%s) a POST fails within 20 s, charges nothing and leaves its key usable',
    async (how) => {
      const server = world.processes[name];
      const earlier = await newOrder(world, 'an earlier job');
      const jobId = await accepted(earlier);
      const order = await newOrder(world, 'a job while it is away');

      await ABSENCES[how].go(server);
      const [first, read] = await Promise.all([order.post(), earlier.read(jobId)]);
      expect(first).toMatchObject(FAILED);
      expect(read).toMatchObject(name === 'mongod' ? FAILED : { status: 200, body: { job_id: jobId } });
      await ABSENCES[how].back(server);

      await expectSettled(world, [
        { order, first },
        { order: earlier, first: { status: 201, body: { job_id: jobId } } },
      ]);
    },
  );
});

test('a charge whose request was answered 500 is given back, and its key works afterwards', async () => {
  const { mongod } = world.processes;
  const { order, hold, first } = await standAt(world, CHARGED);
  mongod.pause();
  const answer = await first;
  expect(answer).toMatchObject(FAILED);
  hold.release();
  mongod.resume();
  await nothingRuns(world);
  const rows = await world.stores.ledger.list(order.accountId);
  expect(rows.map(({ kind }) => kind)).toEqual(['grant', 'charge', 'void']);
  await expectSettled(world, [{ order, first: answer }]);
});
