import { mkdirSync } from 'node:fs';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Child } from '../process/child.ts';
import { type ServerContext, startChild } from './context.ts';
import { mongodVersion, outdatedMongod } from './mongod-version.ts';

const NOT_YET_INITIALIZED = 94;

/**
 * Starts mongod as a replica set of one member, which transactions require. Warns when it is
 * outdated.
 */
export async function startMongod(
  binary: string,
  context: ServerContext,
): Promise<{ child: Child; url: string }> {
  const outdated = outdatedMongod(await mongodVersion(binary, context.signal), binary);
  if (outdated) context.say(outdated);
  const port = await context.ports.choose('mongod');
  const dbpath = context.folder.file('mongod');
  mkdirSync(dbpath, { recursive: true });
  const address = `127.0.0.1:${port}`;
  const child = await startChild(
    {
      name: 'mongod',
      command: binary,
      args: [
        ...['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dbpath],
        // Its Unix socket would be in a folder that all users share.
        '--nounixsocket',
        ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '512', '--quiet'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        // An open transaction of a killed process keeps an account locked for this long; the
        // default is 60 s.
        ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
      ],
      env: context.env,
      probe: () => becomePrimary(address),
      readyWithinMs: 60_000,
      graceMs: 10_000,
    },
    context,
  );
  return { child, url: `mongodb://${address}/?replicaSet=rs0` };
}

/**
 * Initiates a new replica set, or moves an existing one to this port.
 * @throws until the member is primary
 */
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
    const reconfigured = {
      ...config,
      version: config.version + 1,
      members: [{ ...config.members[0], host: address }],
    };
    await admin.command({ replSetReconfig: reconfigured, force: true });
  } catch (cause) {
    if (!hasCode(cause, NOT_YET_INITIALIZED)) throw cause;
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: address }] } });
  }
}

function hasCode(cause: unknown, code: number): boolean {
  return cause instanceof MongoServerError && cause.code === code;
}
