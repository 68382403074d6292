import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { sendTest } from '../../operator/deliveries.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { type Manner, type Receiver, startReceiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, serviceFor } from '../setup/webhooks.ts';

const SLOTS = 48;

const open = closers();
let service: Service;
let hung: Receiver;
let slow: Receiver[];
let quick: Receiver[];

beforeAll(async () => {
  const start = async (count: number, manner: Manner) =>
    (await Promise.all(Array.from({ length: count }, () => startReceiver({ manner })))).map(open.use);
  hung = open.use(await startReceiver({ manner: () => undefined }));
  slow = await start(20, () => undefined);
  quick = await start(2, 200);
  service = open.use(await serviceFor([hung, ...slow, ...quick]));
  open.use(await service.startWorker({ webhooks: { slots: SLOTS, timeoutMs: 55_000 } }));
});
afterAll(() => open.close());

async function send(receiver: Receiver | undefined, count: number): Promise<Receiver> {
  if (receiver === undefined) throw new Error('There are too few receivers.');
  const { accountId } = await clientWith(service, receiver.url);
  const queues = taskQueues(service.config.temporal.taskQueuePrefix);
  await Promise.all(Array.from({ length: count }, () => sendTest(service.temporal, queues, accountId)));
  return receiver;
}

const hanging = (receivers: readonly Receiver[]) => receivers.reduce((sum, { open }) => sum + open(), 0);
const received = (receivers: readonly Receiver[]) =>
  receivers.reduce((sum, { received }) => sum + received.length, 0);

test('60 deliveries to a receiver that hangs do not delay those of other accounts', async () => {
  await send(hung, 60);
  await hung.got(9);
  const other = await send(quick.pop(), 20);
  await other.got(20);
  // None of the slow deliveries has ended by now, and no further ones have started.
  expect(hung.received).toHaveLength(9);
  expect(hung.open()).toBe(9);
  await hung[Symbol.asyncDispose]();
});

test('20 accounts whose receivers hang do not delay the webhooks of another account', async () => {
  await Promise.all(slow.map((receiver) => send(receiver, 3)));
  await eventually(async () => expect(hanging(slow)).toBeGreaterThanOrEqual(slow.length));
  const other = await send(quick.pop(), 20);
  await other.got(20);
  // None of the slow deliveries has ended by now, and a quarter of the slots was never open to them.
  expect(hanging(slow)).toBeGreaterThanOrEqual(received(slow));
  expect(received(slow)).toBeLessThanOrEqual((SLOTS * 3) / 4);
  for (const receiver of slow) await receiver[Symbol.asyncDispose]();
});
