import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { obtainBinaries } from '../../../dev/obtain/binaries.ts';
import { Child } from '../../../dev/process/child.ts';
import { rememberedPorts } from '../../../dev/process/tcp-ports.ts';
import { environment } from '../../../lib/process/config/config.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { openJobFeed } from '../../../lib/stores/mongo/job-feed.ts';
import { prepareDatabase } from '../../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const DATABASE = 'image_job_api';
const context = { env: environment(), say: () => {}, signal: new AbortController().signal };

/**
 * A mongod with authentication and the user `service`, as in docker-compose.yml.
 * @returns host:port
 */
async function startMongodWithUser(): Promise<string> {
  const folder = temporaryFolder();
  const { mongod } = await obtainBinaries(['mongod'], context);
  const port = await rememberedPorts(join(folder, 'ports.json')).choose('mongod');
  const keyFile = join(folder, 'replica.key');
  writeFileSync(keyFile, 'aKeyThatMembersShare', { mode: 0o400 });
  const binding = ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder, '--nounixsocket'];
  const address = `127.0.0.1:${port}`;
  const child = new Child(
    {
      name: 'mongod',
      command: mongod,
      args: [...binding, '--replSet', 'rs0', '--keyFile', keyFile, '--wiredTigerCacheSizeGB', '0.25'],
      env: context.env,
      probe: () => admin(address, {}, (client) => client.db('admin').command({ hello: 1 })),
      readyWithinMs: 30_000,
      graceMs: 5_000,
    },
    { ...context, logFile: join(folder, 'log'), pidFolder: join(folder, 'pids') },
  );
  onTestFinished(() => child.stop());
  await child.start();
  await admin(address, {}, async (client) => {
    const members = [{ _id: 0, host: address }];
    await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members } });
    await expect
      .poll(async () => (await client.db('admin').command({ hello: 1 })).isWritablePrimary)
      .toBe(true);
    await client.db('admin').command({ createUser: 'root', pwd: 'root', roles: ['root'] });
  });
  await admin(address, { auth: { username: 'root', password: 'root' } }, (client) =>
    client.db(DATABASE).command({ createUser: 'service', pwd: 'service', roles: rolesOfTheServiceUser() }),
  );
  return address;
}

async function admin<T>(
  address: string,
  options: object,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  await using client = new MongoClient(
    `mongodb://${address}/?directConnection=true&serverSelectionTimeoutMS=2000`,
    options,
  );
  return await work(client);
}

/** The roles in deploy/mongo-init.js. */
function rolesOfTheServiceUser() {
  const script = readFileSync('deploy/mongo-init.js', 'utf8');
  expect(script).toContain("roles: [{ role: 'readWrite', db: MONGODB_DATABASE }],");
  return [{ role: 'readWrite', db: DATABASE }];
}

test('the service user can run setup and the service, and has no access outside its database', {
  timeout: 60_000,
}, async () => {
  const address = await startMongodWithUser();
  const url = `mongodb://service:service@${address}/${DATABASE}?replicaSet=rs0`;
  const config = { url, database: DATABASE, caFile: '', certKeyFile: '' };
  await using mongo = openMongo(config);
  await prepareDatabase(mongo.db);
  const stores = createMongoStores(mongo);
  const client = await newClient(stores);
  const { pack } = await stores.packs.add({ accountId: client.accountId, images: 10, reference: null });
  const draft = draftOf(client);
  await stores.jobs.accept(draft);
  await using feed = openJobFeed(config);
  const ended = new Promise((resolve) => feed.subscribe(draft.jobId, resolve));
  await stores.jobs.complete(draft.jobId, { results: [], processingMs: 1 });
  expect(await ended).toMatchObject({ status: 'completed' });
  await stores.packs.refund(pack.id);
  expect(await stores.ledger.audit()).toEqual([]);

  await using other = new MongoClient(url);
  const refused = { codeName: 'Unauthorized' };
  await expect(other.db('other').collection('c').insertOne({})).rejects.toMatchObject(refused);
  await expect(
    other.db('admin').command({ listDatabases: 1, authorizedDatabases: false }),
  ).rejects.toMatchObject(refused);
  await expect(mongo.db.command({ createUser: 'x', pwd: 'x', roles: [] })).rejects.toMatchObject(refused);
  await expect(other.db('admin').command({ shutdown: 1 })).rejects.toMatchObject(refused);
});
