import { mkdirSync } from 'node:fs';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Child } from '../run/child.ts';
import { mongodVersion, outdatedMongod } from './mongod-version.ts';
import { type Surroundings, startChild } from './part.ts';

const NOT_YET_INITIALIZED = 94;

/** Starts mongod as a replica set of one member, which transactions need; says so when it is an outdated one. */
export async function startMongod(
  binary: string,
  around: Surroundings,
): Promise<{ child: Child; url: string }> {
  const outdated = outdatedMongod(await mongodVersion(binary, around.signal), binary);
  if (outdated) around.say(outdated);
  const port = await around.ports.choose('mongod');
  const dbpath = around.folder.file('mongod');
  mkdirSync(dbpath, { recursive: true });
  const address = `127.0.0.1:${port}`;
  const child = await startChild(
    {
      name: 'mongod',
      command: binary,
      args: [
        ...['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dbpath],
        // Its socket would lie in a folder of everybody's.
        '--nounixsocket',
        ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '512', '--quiet'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        // What a killed process had open keeps its account locked until then; 60 s is the server's own choice.
        ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
      ],
      env: around.env,
      probe: () => becomePrimary(address),
      readyWithinMs: 60_000,
      graceMs: 10_000,
    },
    around,
  );
  return { child, url: `mongodb://${address}/?replicaSet=rs0` };
}

/** Initiates the set when it is new, points it at this port when it was made on another, and wants a primary. */
async function becomePrimary(address: string): Promise<void> {
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
  });
  try {
    const admin = client.db('admin');
    await configure(admin, address);
    const hello = await admin.command({ hello: 1 });
    if (!hello.isWritablePrimary) throw new Error('mongod is not primary yet');
  } finally {
    await client.close();
  }
}

async function configure(admin: Db, address: string): Promise<void> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    if (config.members[0].host === address) return;
    const moved = {
      ...config,
      version: config.version + 1,
      members: [{ ...config.members[0], host: address }],
    };
    await admin.command({ replSetReconfig: moved, force: true });
  } catch (cause) {
    if (!hasCode(cause, NOT_YET_INITIALIZED)) throw cause;
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: address }] } });
  }
}

function hasCode(cause: unknown, code: number): boolean {
  return cause instanceof MongoServerError && cause.code === code;
}
