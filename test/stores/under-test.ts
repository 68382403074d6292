import '../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { loadConfig } from '../../config.ts';
import type { JobDraft } from '../../domain/records.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { createIndexes } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import type { Stores } from '../../stores/ports.ts';
import { createFakeStores } from '../fakes/stores.ts';

/** The fakes and the MongoDB adapters, with a new database; for `describe.each`. */
export function storesUnderTest(): [name: string, stores: Stores][] {
  const database = `test_${randomUUID().slice(0, 8)}`;
  const mongo = openMongo(loadConfig({ ...inject('env'), MONGODB_DATABASE: database }).mongo);
  beforeAll(() => createIndexes(mongo.db));
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo[Symbol.asyncDispose]();
  });
  return [
    ['the fake', createFakeStores()],
    ['the MongoDB adapter', createMongoStores(mongo)],
  ];
}

export interface Client {
  accountId: string;
  keyId: string;
}

/** An account with one key, and so with the 50 free images. */
export async function newClient(stores: Stores): Promise<Client> {
  const { id } = await stores.accounts.create({ name: 'Client', webhookUrl: null, webhookSecret: 'whsec_a' });
  const { key } = await newKey(stores, id);
  return { accountId: id, keyId: key.id };
}

export function newKey(stores: Stores, accountId: string, digest: string = randomUUID()) {
  return stores.keys.create({ accountId, name: 'Production', digest, hint: 'ija_abcd', retentionDays: null });
}

export function draftOf(client: Client, given: Partial<JobDraft> = {}): JobDraft {
  const jobId = randomUUID();
  return {
    jobId,
    ...client,
    idempotencyKey: null,
    bodyDigest: 'digest',
    tool: 'image-enhancement',
    imagesCharged: 1,
    options: { customPrompt: 'brighter' },
    warnings: [],
    webhookUrl: null,
    workflowId: `job:${jobId}`,
    input: { bucket: 'inputs', key: `${client.accountId}/${jobId}.jpeg` },
    ...given,
  };
}

export async function balanceOf(stores: Stores, { accountId }: Client): Promise<number> {
  return (await stores.accounts.get(accountId)).balance;
}
