import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { fetch } from 'undici';
import { expect, test } from 'vitest';
import { type ServersOptions, startServers } from '../../dev/servers/start.ts';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { connectionOptions } from '../../lib/process/temporal-client.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { listeningAddresses } from './listening.ts';

const silent = () => {};
const { signal } = new AbortController();

/** This environment without addresses of running servers. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return { ...environment(), MONGODB_URL: '', TEMPORAL_ADDRESS: '', S3_ENDPOINT: '' };
}

function start(dataDir: string, options: Partial<ServersOptions> = {}) {
  const env = bareEnvironment();
  return startServers({ dataDir, ephemeral: false, ui: false, say: silent, signal, env, ...options });
}

async function withDatabase<T>(
  url: string | undefined,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  await using client = await new MongoClient(url ?? '').connect();
  return await work(client);
}

test('the servers start, keep their data and addresses, and restart after a kill', {
  timeout: 60_000,
}, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const first = await start(dataDir);
  await withDatabase(first.env.MONGODB_URL, (client) =>
    client.withSession((session) =>
      session.withTransaction(() => client.db('t').collection('c').insertOne({ kept: true }, { session })),
    ),
  );
  await first[Symbol.asyncDispose]();

  await using second = await start(dataDir);
  expect(second.env).toEqual(first.env);
  await second.children.mongod?.stop('SIGKILL');
  await second.children.mongod?.start();
  const found = await withDatabase(second.env.MONGODB_URL, (client) =>
    client.db('t').collection('c').findOne(),
  );
  expect(found).toMatchObject({ kept: true });

  const connection = await Connection.connect({ address: second.env.TEMPORAL_ADDRESS ?? '' });
  const executions = await new Client({ connection }).workflow.count('');
  expect(executions.count).toBe(0);
  await connection.close();

  const listing = await fetch(second.env.S3_ENDPOINT ?? '');
  expect(listing.status).toBe(403);
});

test('a replica set created on one port is moved to another', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const first = await start(dataDir);
  await first[Symbol.asyncDispose]();
  const port = Number(new URL(first.env.MONGODB_URL ?? '').port);
  await using otherServer = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(otherServer, 'listening');

  await using second = await start(dataDir);
  expect(second.env.MONGODB_URL).not.toBe(first.env.MONGODB_URL);
  await withDatabase(second.env.MONGODB_URL, (client) => client.db('t').collection('c').insertOne({}));
});

test('a server whose address is in the environment is used instead of being started', {
  timeout: 60_000,
}, async () => {
  const addresses = {
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    S3_ENDPOINT: 'https://s3.example',
    MONGODB_URL: 'mongodb://db.example/?replicaSet=rs0',
  };
  const env = { ...bareEnvironment(), ...addresses };
  const dataDir = join(temporaryFolder(), 'data');
  await using servers = await startServers({ dataDir, ephemeral: true, ui: false, say: silent, signal, env });
  expect(servers.children).toEqual({});
  expect(servers.env).toMatchObject(addresses);
});

test('a local Temporal is used without the key and certificates of a remote one', {
  timeout: 60_000,
}, async () => {
  const addresses = {
    S3_ENDPOINT: 'https://s3.example',
    MONGODB_URL: 'mongodb://db.example/?replicaSet=rs0',
  };
  const remote = { TEMPORAL_API_KEY: 'of-the-cloud', TEMPORAL_TLS_CA_FILE: '/nowhere/ca.pem' };
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  const env = { ...bareEnvironment(), ...addresses, ...remote, ...keys };
  await using servers = await start(join(temporaryFolder(), 'data'), { ephemeral: true, env });
  expect(connectionOptions(loadConfig({ ...env, ...servers.env }).temporal)).toEqual({
    address: servers.env.TEMPORAL_ADDRESS,
  });
});

// Reads /proc.
test.runIf(process.platform === 'linux')(
  'every server listens on loopback only',
  {
    timeout: 60_000,
  },
  async () => {
    await using servers = await start(join(temporaryFolder(), 'data'), { ui: true });
    for (const { name, pid = 0 } of Object.values(servers.children)) {
      const addresses = new Set(listeningAddresses(pid));
      expect([name, ...addresses]).toEqual([name, '127.0.0.1']);
    }
  },
);

test('files of the servers are private to this user', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await using _ = await start(dataDir);
  const written = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\.(wt|log|sqlite)$/.test(path));
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
});
