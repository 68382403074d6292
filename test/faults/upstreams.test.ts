import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleJpeg } from '../setup/images.ts';
import { startUpstreams, TASKS, UPSTREAMS, type UpstreamName, type Upstreams } from '../setup/upstreams.ts';
import { expectConsistent, nothingRuns, type Placed } from './setup/invariants.ts';
import { type End, newOrder, type Order } from './setup/order.ts';
import { startWorld, type World } from './setup/world.ts';

/** Each upstream renders the tools of one group. */
const ORDERS = {
  gemini: { group: 'INTERIOR', tool: 'wall-color-change' },
  openai: { group: 'KITCHEN_BATH', tool: 'cabinet-replacement' },
  bfl: { group: 'PHOTO', tool: 'sky-replacement' },
  replicate: { group: 'LIGHT_SEASONS', tool: 'day-to-dusk' },
  fal: { group: 'REMOVAL', tool: 'declutter' },
  comfyui: { group: 'FLOOR_PLANS', tool: 'floor-plan-to-3d' },
} as const;
const GROUPS = UPSTREAMS.map((name) => [`GENERATORS_FOR_${ORDERS[name].group}`, name]);
/** Written for the first time when the task's id is known, or the image where there is no task. */
const RECORDING = 'renderJob generatorCalls.update before';
const STORING = 'renderJob images.putResult before';

let upstreams: Upstreams;
let world: World;

beforeAll(async () => {
  upstreams = await startUpstreams();
  const orders = { GENERATORS: UPSTREAMS.join(), ...Object.fromEntries(GROUPS) };
  world = await startWorld({
    env: { ...upstreams.env, ...orders, SHUTDOWN_GRACE_MS: '500', RENDER_GRACE_MS: '500' },
  });
  const image = await sampleJpeg(64, 48, '#2040a0');
  upstreams.all((fake) => fake.returns(image));
});
beforeEach(() => upstreams.all((fake) => fake.clear()));
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await upstreams?.[Symbol.asyncDispose]();
});

const orderFor = (name: UpstreamName, end?: End) => newOrder(world, name, end, ORDERS[name].tool);
const place = async (order: Order): Promise<Placed> => ({ order, first: await order.post() });
const placeFor = async (name: UpstreamName, end?: End) => place(await orderFor(name, end));
const callsOf = ({ first }: Placed) => world.stores.generatorCalls.list(first.body.job_id ?? '');

/** Waits until this many predictions run, and the ids of their tasks are recorded. */
async function predicting(placed: readonly Placed[], submissions: Partial<Record<UpstreamName, number>>) {
  await vi.waitFor(async () => {
    expect(upstreams.submissions()).toMatchObject(submissions);
    const calls = (await Promise.all(placed.map(callsOf))).flat();
    for (const { generator, task } of calls)
      if (TASKS.some((name) => name === generator)) expect(task).not.toBeNull();
  }, 60_000);
}

test('kill -9 of the worker during a prediction: tasks are resumed, and lost responses asked for once more', async () => {
  const { worker } = world.processes;
  upstreams.all((fake) => fake.hold());
  const worst = await Promise.all((['comfyui', 'fal'] as const).map((name) => orderFor(name)));
  // The worst moment: the id is not recorded yet.
  const unrecorded = worst.map(({ workflowId }) => world.failpoints.hold(RECORDING, workflowId));
  const others = (['gemini', 'openai', 'bfl', 'replicate'] as const).map((name) => placeFor(name));
  const [last, placed] = await Promise.all([Promise.all(worst.map(place)), Promise.all(others)]);
  await predicting(placed, { gemini: 1, openai: 1, bfl: 1, replicate: 1 });
  await Promise.all(unrecorded.map(({ reached }) => reached));

  await worker.stop('SIGKILL');
  for (const { release } of unrecorded) release();
  upstreams.all((fake) => fake.release());
  await worker.start();

  await expectConsistent(world, [...last, ...placed]);
  expect(upstreams.submissions()).toEqual({ gemini: 2, openai: 2, bfl: 1, replicate: 1, fal: 2, comfyui: 1 });
  expect(upstreams.cancellations()).toBe(0);
});

test('SIGTERM of the worker resumes tasks and cancels none; a job whose response is lost twice is refunded', async () => {
  const { worker } = world.processes;
  upstreams.all((fake) => fake.hold());
  const tasks = await Promise.all(TASKS.map((name) => placeFor(name)));
  const oneCall = await Promise.all((['gemini', 'openai'] as const).map((name) => placeFor(name, 'failed')));
  for (const n of [1, 2]) {
    await predicting(tasks, { gemini: n, openai: n, bfl: 1, replicate: 1, fal: 1, comfyui: 1 });
    await worker.stop('SIGTERM');
    await worker.start();
  }
  upstreams.all((fake) => fake.release());

  await expectConsistent(world, [...tasks, ...oneCall]);
  expect(upstreams.submissions()).toEqual({ gemini: 2, openai: 2, bfl: 1, replicate: 1, fal: 1, comfyui: 1 });
  expect(upstreams.cancellations()).toBe(0);
});

test('cancelling a job cancels its task upstream and refunds it', async () => {
  const names = ['replicate', 'fal', 'comfyui'] as const;
  upstreams.all((fake) => fake.hold());
  const placed = await Promise.all(names.map((name) => placeFor(name)));
  await predicting(placed, { replicate: 1, fal: 1, comfyui: 1 });
  for (const { order } of placed) await world.temporal.workflow.getHandle(order.workflowId).cancel();
  await nothingRuns(world);
  upstreams.all((fake) => fake.release());

  for (const { order, first } of placed) {
    expect((await order.read(first.body.job_id ?? '')).body).toMatchObject({ status: 'failed' });
    const rows = await world.stores.ledger.list(order.accountId);
    expect(rows.map(({ kind }) => kind)).toEqual(['grant', 'charge', 'refund']);
  }
  expect(await world.stores.ledger.audit()).toEqual([]);
  expect(upstreams.submissions()).toMatchObject({ replicate: 1, fal: 1, comfyui: 1 });
  for (const name of names) expect(upstreams.of(name).cancellations(), name).toBe(1);
});

test.each([
  { server: 'mongod', what: 'the id of a task', name: 'replicate', point: RECORDING },
  { server: 'mongod', what: 'an image that was paid for', name: 'gemini', point: RECORDING },
  { server: 'versitygw', what: 'an image that was paid for', name: 'openai', point: STORING },
] as const)('while $server is down, $what is not lost', async ({ server, name, point }) => {
  const order = await orderFor(name);
  const before = world.failpoints.hold(point, order.workflowId);
  const placed = await place(order);
  await before.reached;
  await world.processes[server].stop('SIGKILL');
  before.release();
  const retry = world.failpoints.hold(point, order.workflowId);
  await retry.reached;
  await world.processes[server].start();
  retry.release();

  await expectConsistent(world, [placed]);
  expect(upstreams.of(name).submissions()).toBe(1);
});
