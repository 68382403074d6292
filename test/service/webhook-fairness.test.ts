import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendTest } from '../../operator/webhooks.ts';
import { taskQueues } from '../../workflows/messages.ts';
import { closers } from '../setup/closers.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, serviceFor } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let slow: Receiver;
let quick: Receiver;

beforeAll(async () => {
  [slow, quick] = [open.use(await startReceiver(() => undefined)), open.use(await startReceiver(200))];
  service = open.use(await serviceFor([slow, quick]));
  open.use(await service.startWorker({ webhooks: { slots: 48, timeoutMs: 55_000 } }));
});
afterAll(() => open.close());

test('200 deliveries to a receiver that hangs do not hold those of others', async () => {
  const queues = taskQueues(service.config.temporal.taskQueuePrefix);
  const [stuck, other] = [await clientWith(service, slow.url), await clientWith(service, quick.url)];
  const send = (accountId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => sendTest(service.temporal, queues, accountId)));
  await send(stuck.accountId, 200);
  await slow.got(12);
  await send(other.accountId, 20);
  await quick.got(20);
  // None of the slow ones has ended by now, and no more than a quarter of the slots was ever theirs.
  expect(slow.received).toHaveLength(12);
  expect(slow.open()).toBe(12);
  await slow[Symbol.asyncDispose]();
});
