import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';
import { terminateWorkflows } from '../setup/workflows.ts';

/** More than one account may have in progress in one API process, and more than the SDK's default slots of a worker. */
const WAITING = 100;

const open = closers();
let service: Service;
let image_base64: string;

beforeAll(async () => {
  service = open.use(await startService({ env: { GENERATORS: 'preview' } }));
  open.use(await service.startWorker());
  // The test needs no results.
  open.defer(() => terminateWorkflows(service));
  image_base64 = await sampleImage();
});
afterAll(() => open.close());

/** Locks the account's balance with an open transaction. @returns a function that unlocks it */
async function lock(accountId: string): Promise<() => Promise<void>> {
  const { url, database } = service.config.mongo;
  const client = await new MongoClient(url).connect();
  const session = client.startSession();
  session.startTransaction();
  const accounts = client.db(database).collection<{ _id: string }>('accounts');
  await accounts.updateOne({ _id: accountId }, { $set: { locked: true } }, { session });
  return async () => {
    await session.abortTransaction();
    await client.close();
  };
}

test('an account whose balance is locked takes no slot from others', { timeout: 60_000 }, async () => {
  const [locked, other] = [await service.client(WAITING), await service.client()];
  const post = ({ headers }: typeof locked) =>
    postJob(service.app, headers, { tool: 'declutter', image_base64 });
  const unlock = await lock(locked.accountId);
  let answered = 0;
  const posts = Array.from({ length: WAITING }, () => post(locked).finally(() => (answered += 1)));
  await eventually(async () => {
    const query = `AccountId = "${locked.accountId}" AND ExecutionStatus = "Running"`;
    const { count } = await service.temporal.workflow.count(query);
    expect([count, service.deps.budgets.acceptances.waiting]).toEqual([50, 50]);
  });
  expect((await post(other)).statusCode).toBe(201);
  expect(answered).toBe(0);
  await unlock();
  const codes = (await Promise.all(posts)).map(({ statusCode }) => statusCode);
  expect(new Set(codes)).toEqual(new Set([201]));
  expect(await service.stores.ledger.audit(locked.accountId)).toEqual([]);
});
