import '../../setup/context.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../lib/process/config/config.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { ownConfig } from '../../setup/own-config.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { createAuthority, type Issued } from '../process/temporal/authority.ts';
import { startTlsProxy } from '../process/temporal/tls-front.ts';

const { mongo } = ownConfig();
const authority = createAuthority();
const server = authority.issue('DNS:localhost');
const client = authority.issue('DNS:worker.example');
afterAll(async () => {
  authority[Symbol.dispose]();
  await using opened = openMongo(mongo);
  await opened.db.dropDatabase();
});

const pem = ({ cert, key }: Issued) => ({ cert: readFileSync(cert), key: readFileSync(key) });
/** A TLS proxy in front of the MongoDB of this run. @returns its address */
async function startProxy(options = {}): Promise<string> {
  const proxy = await startTlsProxy(new URL(mongo.url).host, { ...pem(server), ...options });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy.address;
}

/** Writes in a transaction over this connection. */
async function write(url: string, env: Record<string, string> = {}): Promise<void> {
  const config = loadConfig({ ...inject('env'), ...env, MONGODB_URL: url }).mongo;
  await using opened = openMongo({ ...config, database: mongo.database });
  await opened.transaction((session) => opened.db.collection('tls').insertOne({}, { session }));
}

/** Direct, because the replica set names its members by their addresses without TLS. */
const direct = (address: string, options = '') => `mongodb://${address}/?directConnection=true${options}`;

describe('MongoDB over TLS', { timeout: 60_000 }, () => {
  test('is trusted by the CA in MONGODB_TLS_CA_FILE, which implies TLS', async () => {
    await write(direct(await startProxy()), { MONGODB_TLS_CA_FILE: authority.ca });
  });

  test('is trusted by the options of the connection string', async () => {
    await write(direct(await startProxy(), `&tls=true&tlsCAFile=${encodeURIComponent(authority.ca)}`));
  });

  test('is refused when its CA is not trusted', async () => {
    await expect(write(direct(await startProxy(), '&tls=true'))).rejects.toThrow('certificate');
  });

  test('gets the client certificate that it asks for', async () => {
    const mutual = { ca: readFileSync(authority.ca), requestCert: true, rejectUnauthorized: true };
    const url = direct(await startProxy(mutual));
    const certKeyFile = join(temporaryFolder(), 'client.pem');
    writeFileSync(certKeyFile, Buffer.concat(Object.values(pem(client))));
    const trusting = { MONGODB_TLS_CA_FILE: authority.ca };
    await write(url, { ...trusting, MONGODB_TLS_CERT_KEY_FILE: certKeyFile });
    await expect(write(url, trusting)).rejects.toThrow();
  });
});
