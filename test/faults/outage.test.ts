import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../../dev/process/child.ts';
import { expectConsistent, nothingRuns } from './setup/invariants.ts';
import { accepted, newOrder } from './setup/order.ts';
import { CHARGED, pauseAt } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const OUTAGES = {
  stopped: {
    start: (server: Child) => server.stop('SIGKILL'),
    end: (server: Child) => server.start(),
  },
  hanging: {
    start: async (server: Child) => server.pause(),
    end: async (server: Child) => server.resume(),
  },
};

const FAILED = { status: 500, body: { error: { code: 'internal_error' } } };

describe.each(['mongod', 'temporal', 'versitygw'] as const)('while %s is down', (name) => {
  test.each(['stopped', 'hanging'] as const)(
    '(%s) a POST fails within 20 s, charges nothing and leaves its key usable',
    async (outage) => {
      const server = world.processes[name];
      const earlier = await newOrder(world, 'an earlier job');
      const jobId = await accepted(earlier);
      const order = await newOrder(world, 'a job during the outage');

      await OUTAGES[outage].start(server);
      const [first, read] = await Promise.all([order.post(), earlier.read(jobId)]);
      expect(first).toMatchObject(FAILED);
      expect(read).toMatchObject(name === 'mongod' ? FAILED : { status: 200, body: { job_id: jobId } });
      await OUTAGES[outage].end(server);

      await expectConsistent(world, [
        { order, first },
        { order: earlier, first: { status: 201, body: { job_id: jobId } } },
      ]);
    },
  );
});

test('the charge of a request answered 500 is voided, and its key stays usable', async () => {
  const { mongod } = world.processes;
  const { order, hold, first } = await pauseAt(world, CHARGED);
  mongod.pause();
  const response = await first;
  expect(response).toMatchObject(FAILED);
  hold.release();
  mongod.resume();
  await nothingRuns(world);
  const rows = await world.stores.ledger.list(order.accountId);
  expect(rows.map(({ kind }) => kind)).toEqual(['grant', 'charge', 'void']);
  await expectConsistent(world, [{ order, first: response }]);
});
