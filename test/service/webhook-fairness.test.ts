import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendTest } from '../../operator/webhooks.ts';
import { taskQueues } from '../../workflows/messages.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, serviceFor } from '../setup/webhooks.ts';

const SLOTS = 48;

const open = closers();
let service: Service;
let slow: Receiver[];
let quick: Receiver[];

beforeAll(async () => {
  const start = async (count: number, manner: () => number | undefined) =>
    (await Promise.all(Array.from({ length: count }, () => startReceiver(manner)))).map(open.use);
  slow = await start(21, () => undefined);
  quick = await start(2, () => 200);
  service = open.use(await serviceFor([...slow, ...quick]));
  open.use(await service.startWorker({ webhooks: { slots: SLOTS, timeoutMs: 55_000 } }));
});
afterAll(() => open.close());

async function send(receiver: Receiver | undefined, count: number): Promise<Receiver> {
  if (receiver === undefined) throw new Error('there are too few receivers');
  const { accountId } = await clientWith(service, receiver.url);
  const queues = taskQueues(service.config.temporal.taskQueuePrefix);
  await Promise.all(Array.from({ length: count }, () => sendTest(service.temporal, queues, accountId)));
  return receiver;
}

const hanging = (receivers: readonly Receiver[]) => receivers.reduce((sum, { open }) => sum + open(), 0);
const received = (receivers: readonly Receiver[]) =>
  receivers.reduce((sum, { received }) => sum + received.length, 0);

test('60 deliveries to a receiver that hangs do not hold those of others', async () => {
  const stuck = await send(slow.pop(), 60);
  await stuck.got(9);
  const other = await send(quick.pop(), 20);
  await other.got(20);
  // None of the slow ones has ended by now, and no more were let through.
  expect(stuck.received).toHaveLength(9);
  expect(stuck.open()).toBe(9);
  await stuck[Symbol.asyncDispose]();
});

test('20 accounts whose receivers hang do not hold the webhooks of one whose receiver answers', async () => {
  await Promise.all(slow.map((receiver) => send(receiver, 3)));
  await eventually(async () => expect(hanging(slow)).toBeGreaterThanOrEqual(slow.length));
  const other = await send(quick.pop(), 20);
  await other.got(20);
  // None of the slow ones has ended by now, and a quarter of the slots was never theirs.
  expect(hanging(slow)).toBeGreaterThanOrEqual(received(slow));
  expect(received(slow)).toBeLessThanOrEqual((SLOTS * 3) / 4);
  for (const receiver of slow) await receiver[Symbol.asyncDispose]();
});
