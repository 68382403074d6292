import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { MongoClient, MongoNetworkError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { bounded, MongoTimeout } from '../../stores/mongo/bounded.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { createIndexes } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import { startProxy, type TcpProxy } from '../setup/proxy.ts';
import { draftOf } from './under-test.ts';

const config = loadConfig({ ...inject('env'), MONGODB_DATABASE: `test_${randomUUID().slice(0, 8)}` });
const server = new URL(config.mongo.url);
const direct = openMongo(config.mongo);
/** Short, so that a test need not wait for long; in the proportions of the real ones. */
const SHORT = { answerMs: 300, operationMs: 400, collisionsMs: 400 };
let proxy: TcpProxy;

beforeAll(async () => {
  await createIndexes(direct.db);
  proxy = await startProxy({ host: server.hostname, port: Number(server.port) });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await direct.db.dropDatabase();
  await direct[Symbol.asyncDispose]();
});

/** What the calls are given that do not take ids. */
const ref = { bucket: 'inputs', key: 'a' };
const someone = { accountId: randomUUID(), keyId: randomUUID() };
const ARGUMENTS: Record<string, unknown[]> = {
  'accounts.create': [{ name: 'A', webhookUrl: null, webhookSecret: 'whsec_a' }],
  'accounts.list': [10],
  'accounts.setWebhook': [randomUUID(), { url: null }],
  'deliveries.plan': [{ id: 'a', ...someone, jobId: randomUUID() }],
  'deliveries.pending': [new Date(), '', 10],
  'deliveries.list': [randomUUID(), 10],
  'deliveries.begin': ['a', 'first', { at: new Date(), url: 'https://example.com/' }],
  'deliveries.record': ['a', 'first', { at: new Date() }, { state: 'delivered' }],
  'deliveries.close': ['a', 'first', { state: 'failed', reason: 'a' }],
  'histories.pending': ['', 10],
  'histories.settle': [['a']],
  'jobs.accept': [draftOf(someone)],
  'jobs.list': [randomUUID(), 10],
  'jobs.complete': [randomUUID(), { results: [], processingMs: 1 }],
  'jobs.fail': [randomUUID(), { error: 'No.', processingMs: 1 }],
  'jobs.remove': [[randomUUID()]],
  'jobs.dropInputs': [[randomUUID()]],
  'keys.create': [{ ...someone, name: 'A', digest: 'a', hint: 'a', retentionDays: null }],
  'keys.setRetention': [randomUUID(), 1],
  'packs.add': [{ ...someone, images: 1, reference: null }],
  'packs.refund': [randomUUID(), 1],
  'removals.owe': [[ref]],
  'removals.settle': [[ref], []],
  'removals.pending': ['', 10],
  'retention.keys': ['', 10],
  'retention.expired': [randomUUID(), new Date(), 10],
  'retention.surplus': [randomUUID(), 10, 10],
  'retention.failedWithInput': [new Date(), 10],
  'retention.processing': [new Date(), '', 10],
  'retention.unowned': [[ref]],
  'settings.setApiEnabled': [true],
};

const methodsOf = (store: object) =>
  Object.entries(store) as [string, (...given: never[]) => Promise<unknown>][];
const isTimeout = (error: unknown) => error instanceof MongoTimeout || error instanceof MongoNetworkError;

/** Opened through the proxy, with connections in its pool. */
async function openBehindProxy() {
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const mongo = openMongo({ ...config.mongo, url }, SHORT);
  await mongo.db.command({ ping: 1 });
  return mongo;
}

describe('an operation that the driver leaves open', () => {
  /** Closes the connection so many microtasks after a command was given to it. */
  async function closedAfter(microtasks: number, bound: number) {
    const client = new MongoClient(config.mongo.url, { monitorCommands: true });
    const notes = bounded(client.db(config.mongo.database), bound).collection('notes');
    await notes.findOne({});
    const close = (left: number): void => {
      if (left === 0) void client.close();
      else queueMicrotask(() => close(left - 1));
    };
    client.once('commandStarted', () => close(microtasks));
    return notes;
  }

  test.each([
    ['find', (notes: Notes) => notes.find().toArray()],
    ['a cursor that is gone through', (notes: Notes) => notes.find()[Symbol.asyncIterator]().next()],
    ['a write', (notes: Notes) => notes.insertOne({})],
  ])('ends all the same: %s', async (_, operation) => {
    const outcomes: unknown[] = [];
    for (let microtasks = 0; microtasks < 6; microtasks += 1)
      outcomes.push(await operation(await closedAfter(microtasks, 200)).catch((error) => error));
    expect(outcomes).toContainEqual(expect.any(MongoTimeout));
    expect(outcomes.every((outcome) => outcome instanceof Error)).toBe(true);
  });
  type Notes = Awaited<ReturnType<typeof closedAfter>>;
});

describe('a server that takes everything and answers nothing', () => {
  test('is given up by every call of every store, and closing ends', { timeout: 60_000 }, async () => {
    const mongo = await openBehindProxy();
    const stores = createMongoStores(mongo);
    const calls = Object.entries(stores).flatMap(([name, store]) =>
      methodsOf(store).map(([method, call]) => ({ name: `${name}.${method}`, store, call })),
    );
    proxy.hold();
    const outcomes = calls.map(({ name, store, call }): Promise<unknown> => {
      const given = ARGUMENTS[name] ?? [randomUUID(), randomUUID(), 10];
      return Reflect.apply(call, store, given).then(
        () => `${name} was answered`,
        (error: unknown) => (isTimeout(error) ? undefined : `${name}: ${error}`),
      );
    });
    const surprises = (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
    await mongo[Symbol.asyncDispose]();
    proxy.release();
    expect(surprises).toEqual([]);
  });
});

test('a transaction that is given up commits nothing, even if its work goes on', async () => {
  await using mongo = openMongo(config.mongo, SHORT);
  const _id = randomUUID();
  const notes = (db: typeof mongo.db) => db.collection<{ _id: string }>('notes');
  let goOn = () => {};
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  const transaction = mongo.transaction(async (session) => {
    await notes(mongo.db).insertOne({ _id }, { session });
    await gate;
  });
  await expect(transaction).rejects.toThrow(MongoTimeout);
  goOn();
  // It waits until the id is free again, and would be a duplicate if it had been committed.
  await notes(direct.db).insertOne({ _id });
});
