import { randomUUID } from 'node:crypto';
import { MongoClient, MongoNetworkError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounded, MongoTimeout } from '../../../lib/stores/mongo/bounded.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { ownConfig } from '../../setup/own-config.ts';
import { startProxy, type TcpProxy } from '../../setup/proxy.ts';
import { draftOf } from '../../setup/records.ts';

const config = ownConfig();
const server = new URL(config.mongo.url);
const direct = databaseOfFile(config);
/** Short timeouts, in the proportions of the real ones. */
const SHORT = { answerMs: 300, operationMs: 400, collisionsMs: 400 };
let proxy: TcpProxy;

beforeAll(async () => {
  proxy = await startProxy({ host: server.hostname, port: Number(server.port) });
});
afterAll(() => proxy[Symbol.asyncDispose]());

/** Arguments of the methods that do not take ids only. */
const ref = { bucket: 'inputs', key: 'a' };
const client = { accountId: randomUUID(), keyId: randomUUID() };
const ARGUMENTS: Record<string, unknown[]> = {
  'accounts.create': [{ name: 'A', webhookUrl: null, webhookSecret: 'whsec_a' }],
  'accounts.list': [10],
  'accounts.close': [randomUUID(), false],
  'accounts.setWebhook': [randomUUID(), { url: null }],
  'accounts.recordEndpointHealth': [randomUUID(), 'https://example.com/', 'healthy'],
  'accounts.changeWebhook': [randomUUID(), { url: null, secret: 'whsec_a' }, { url: null }],
  'deliveries.plan': [{ id: 'a', ...client, jobId: randomUUID() }],
  'deliveries.pending': [new Date(), '', 10],
  'deliveries.list': [randomUUID(), 10],
  'deliveries.begin': ['a', 'first', { at: new Date(), url: 'https://example.com/' }],
  'deliveries.record': ['a', 'first', { at: new Date() }, { state: 'delivered' }],
  'deliveries.close': ['a', 'first', { state: 'failed', reason: 'a' }],
  'generatorCalls.begin': [randomUUID(), { id: 'a', generator: 'a', model: 'a', mayBeCharged: true }, []],
  'generatorCalls.openOfEnded': ['', 10],
  'histories.pending': ['', 10],
  'histories.markDeleted': [['a']],
  'jobs.accept': [draftOf(client)],
  'jobs.restore': [draftOf(client), { createdAt: new Date(), end: null }, async () => true],
  'jobs.list': [randomUUID(), 10],
  'jobs.listByIdempotencyKey': [null, 'a'],
  'jobs.usage': [randomUUID(), new Date(0), new Date(1)],
  'jobs.complete': [randomUUID(), { results: [], processingMs: 1 }],
  'jobs.fail': [randomUUID(), { error: 'No.', failureReason: 'no_result', processingMs: 1 }],
  'jobs.remove': [[randomUUID()]],
  'jobs.dropInputs': [[randomUUID()]],
  'keys.create': [{ ...client, name: 'A', digest: 'a', hint: 'a', retentionDays: null }],
  'keys.setRetention': [randomUUID(), 1],
  'ledger.credit': [{ ...client, images: 1, reason: 'a' }],
  'orphans.record': ['inputs', { after: '', until: null }, ['a'], true],
  'orphans.due': ['inputs', 0, '', 10],
  'orphans.enqueueRemovals': [[ref]],
  'packs.add': [{ ...client, images: 1, reference: null }],
  'packs.paidAmong': [[randomUUID()]],
  'packs.refund': [randomUUID(), 1],
  'removals.enqueue': [[ref]],
  'removals.markRemoved': [[ref], []],
  'removals.pending': ['', 10],
  'retention.keys': ['', 10],
  'retention.expired': [randomUUID(), new Date(), 10],
  'retention.surplus': [randomUUID(), 10, 10],
  'retention.failedWithInput': [new Date(), 10],
  'retention.processing': [0, '', 10],
  'retention.ofClosedAccounts': [10],
  'retention.unowned': [[ref]],
  'settings.setRemovalsHeld': ['inputs', true],
  'settings.setApiEnabled': [true],
  'settings.setToolEnabled': ['pool', false],
};

const methodsOf = (store: object) =>
  Object.entries(store) as [string, (...given: never[]) => Promise<unknown>][];
const isTimeout = (error: unknown) => error instanceof MongoTimeout || error instanceof MongoNetworkError;

/** Opens the database through the proxy, with a connection in its pool. */
async function openBehindProxy() {
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const mongo = openMongo({ ...config.mongo, url }, SHORT);
  await mongo.db.command({ ping: 1 });
  return mongo;
}

describe('an operation that the driver never ends', () => {
  /** Closes the connection `microtasks` microtasks after a command has started. */
  async function closedAfter(microtasks: number, bound: number) {
    // The driver ignores timeoutMS. Once it does not, lib/stores/mongo/bounded.ts can go.
    const client = new MongoClient(config.mongo.url, { monitorCommands: true, timeoutMS: bound / 2 });
    const notes = bounded(client.db(config.mongo.database), bound).collection('notes');
    await notes.findOne({});
    const close = (remaining: number): void => {
      if (remaining === 0) void client.close();
      else queueMicrotask(() => close(remaining - 1));
    };
    client.once('commandStarted', () => close(microtasks));
    return notes;
  }

  test.each([
    ['find', (notes: Notes) => notes.find().toArray()],
    ['iteration of a cursor', (notes: Notes) => notes.find()[Symbol.asyncIterator]().next()],
    ['a write', (notes: Notes) => notes.insertOne({})],
  ])('times out: %s', async (_, operation) => {
    const outcomes: unknown[] = [];
    for (let microtasks = 0; microtasks < 6; microtasks += 1)
      outcomes.push(await operation(await closedAfter(microtasks, 200)).catch((error) => error));
    expect(outcomes).toContainEqual(expect.any(MongoTimeout));
    expect(outcomes.every((outcome) => outcome instanceof Error)).toBe(true);
  });
  type Notes = Awaited<ReturnType<typeof closedAfter>>;
});

describe('a server that does not respond', () => {
  test('makes every store method time out, and the client still closes', {
    timeout: 60_000,
  }, async () => {
    const mongo = await openBehindProxy();
    const stores = createMongoStores(mongo);
    const calls = Object.entries(stores).flatMap(([name, store]) =>
      methodsOf(store).map(([method, call]) => ({ name: `${name}.${method}`, store, call })),
    );
    proxy.hold();
    const outcomes = calls.map(({ name, store, call }): Promise<unknown> => {
      const given = ARGUMENTS[name] ?? [randomUUID(), randomUUID(), 10];
      return Reflect.apply(call, store, given).then(
        () => `${name} succeeded`,
        (error: unknown) => (isTimeout(error) ? undefined : `${name}: ${error}`),
      );
    });
    const unexpected = (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
    await mongo[Symbol.asyncDispose]();
    proxy.release();
    expect(unexpected).toEqual([]);
  });
});

test('a transaction that timed out commits nothing, even if its work continues', async () => {
  await using mongo = openMongo(config.mongo, SHORT);
  const _id = randomUUID();
  const notes = (db: typeof mongo.db) => db.collection<{ _id: string }>('notes');
  let resume = () => {};
  const gate = new Promise<void>((open) => {
    resume = open;
  });
  const transaction = mongo.transaction(async (session) => {
    await notes(mongo.db).insertOne({ _id }, { session });
    await gate;
  });
  await expect(transaction).rejects.toThrow(MongoTimeout);
  resume();
  // Waits for the transaction to abort; a commit would make this a duplicate.
  await notes(direct.db).insertOne({ _id });
});
