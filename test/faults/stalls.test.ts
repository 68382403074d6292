import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleJpeg } from '../setup/images.ts';
import { firstResetPoint, reset } from '../setup/reset.ts';
import { startUpstreams, type Upstreams } from '../setup/upstreams.ts';
import { expectConsistent, type Placed } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startWorld, type World } from './setup/world.ts';

/** Longer than the heartbeat time-out of a render, so that Temporal starts another attempt. */
const HANG_MS = 20_000;
/** Upstreams whose call returns the image itself: a call that is given up is paid for once more. */
const TOOLS = { gemini: 'wall-color-change', openai: 'cabinet-replacement' } as const;

let upstreams: Upstreams;
let world: World;
/** Responses to the calls in progress. */
let held: (() => void)[] = [];
let release = () => {};

beforeAll(async () => {
  upstreams = await startUpstreams();
  const env = {
    ...upstreams.env,
    GENERATORS: 'gemini,openai',
    GENERATORS_FOR_KITCHEN_BATH: 'openai',
    RENDER_GRACE_MS: '60000',
  };
  world = await startWorld({ env });
  const image = await sampleJpeg(64, 48, '#2040a0');
  upstreams.all((fake) => fake.returns(image));
});
beforeEach(() => {
  const stops = (['gemini', 'openai'] as const).map((name) => {
    const fake = upstreams.of(name);
    const { submit } = fake.replies;
    fake.clear();
    fake.replies.submit = (_, response) => {
      if (typeof submit === 'function') throw new Error('The fake replies by itself.');
      held.push(() => response.writeHead(submit.status).end(JSON.stringify(submit.json)));
    };
    return () => {
      fake.replies.submit = submit;
    };
  });
  release = () => {
    for (const stop of stops) stop();
    for (const respond of held) respond();
    held = [];
  };
});
afterEach(() => release());
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await upstreams?.[Symbol.asyncDispose]();
});

/** One job for each upstream, both of which have got the request and do not respond yet. */
async function calling(): Promise<Placed[]> {
  const placed = await Promise.all(
    Object.values(TOOLS).map(async (tool) => {
      const order = await newOrder(world, tool, 'completed', tool);
      return { order, first: await order.post() };
    }),
  );
  await vi.waitFor(
    async () => expect(upstreams.submissions()).toMatchObject({ gemini: 1, openai: 1 }),
    60_000,
  );
  return placed;
}

/** Waits until Temporal has started another attempt of each render, which waits for the call of the first one. */
const waitedFor = (placed: readonly Placed[]) =>
  vi.waitFor(async () => {
    for (const { order } of placed) {
      const { raw } = await world.temporal.workflow.getHandle(order.workflowId).describe();
      expect(raw.pendingActivities?.[0]?.lastFailure?.message).toContain('Another attempt is calling');
    }
  }, 90_000);

async function expectPaidOnce(placed: readonly Placed[]): Promise<void> {
  release();
  await expectConsistent(world, placed);
  expect(upstreams.submissions()).toMatchObject({ gemini: 1, openai: 1 });
}

test.each(['temporal', 'worker', 'mongod'] as const)(
  'calls in progress while %s stands still for 20 s are paid for once',
  async (name) => {
    const placed = await calling();
    world.processes[name].pause();
    await delay(HANG_MS);
    world.processes[name].resume();
    // After its own stall, Temporal may hear the heartbeat before it looks at the time.
    if (name === 'worker') await waitedFor(placed);
    await expectPaidOnce(placed);
  },
);

test('calls in progress when the renderer gets SIGTERM are finished, and paid for once', async () => {
  const placed = await calling();
  const stopped = world.processes.worker.stop('SIGTERM');
  // Longer than the grace period of every other process.
  await delay(5000);
  release();
  await stopped;
  await world.processes.worker.start();
  await expectPaidOnce(placed);
});

test('calls in progress when their workflows are reset are paid for once', async () => {
  const placed = await calling();
  for (const { order } of placed)
    await reset(world.temporal, await firstResetPoint(world.temporal, order.workflowId));
  await waitedFor(placed);
  await expectPaidOnce(placed);
});
