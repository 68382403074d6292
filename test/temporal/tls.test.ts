import '../setup/context.ts';
import { readFileSync } from 'node:fs';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { type Config, loadConfig } from '../../config.ts';
import { registerSearchAttributes } from '../../operator/setup/search-attributes.ts';
import { connectionOptions, openTemporal } from '../../temporal.ts';
import { createAuthority, type Issued } from './authority.ts';
import { startKeyKeeper, startTlsFront } from './tls-front.ts';

const authority = createAuthority();
const server = authority.issue('DNS:temporal.example,DNS:localhost');
const client = authority.issue('DNS:worker.example');
afterAll(() => authority[Symbol.dispose]());

/** Of a client and of a worker. */
const CONNECTED = ['connected', 'connected'];
const REFUSED = ['refused', 'refused'];

const pem = ({ cert, key }: Issued) => ({ cert: readFileSync(cert), key: readFileSync(key) });
const front = (options = {}) =>
  startTlsFront(inject('env').TEMPORAL_ADDRESS ?? '', { ...pem(server), ...options });
const mutual = { ca: readFileSync(authority.ca), requestCert: true, rejectUnauthorized: true };

function temporalAt(address: string, env: Record<string, string>): Config['temporal'] {
  return loadConfig({ ...inject('env'), TEMPORAL_ADDRESS: address, ...env }).temporal;
}

/** Both ways in which the service's processes reach Temporal. */
async function reach(config: Config['temporal']): Promise<string[]> {
  return Promise.all([outcome(() => callAsClient(config)), outcome(() => connectAsWorker(config))]);
}

async function callAsClient(config: Config['temporal']): Promise<void> {
  await using temporal = openTemporal(config);
  const { connection } = temporal.client;
  await connection.withDeadline(Date.now() + 5_000, () => connection.workflowService.getSystemInfo({}));
}

async function connectAsWorker(config: Config['temporal']): Promise<void> {
  await (await NativeConnection.connect(connectionOptions(config))).close();
}

const outcome = (work: () => Promise<void>) =>
  work().then(
    () => 'connected',
    () => 'refused',
  );

describe('Temporal over TLS', () => {
  test('is reached with its authority, by clients, workers and the operator', async () => {
    await using tls = await front();
    const config = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca });
    expect(await reach(config)).toEqual(CONNECTED);
    await registerSearchAttributes(config);
  });

  test('is refused when its certificate is of an unknown authority, or is not asked for', async () => {
    await using tls = await front();
    const unknown = temporalAt(tls.address, { TEMPORAL_TLS: 'true' });
    const plain = temporalAt(tls.address, {});
    expect(await Promise.all([reach(unknown), reach(plain)])).toEqual([REFUSED, REFUSED]);
  });

  test('is held to the name that is expected', async () => {
    await using tls = await front();
    const named = (name: string) =>
      temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca, TEMPORAL_TLS_SERVER_NAME: name });
    expect(await reach(named('temporal.example'))).toEqual(CONNECTED);
    expect(await reach(named('other.example'))).toEqual(REFUSED);
  });

  test('that wants a certificate of its clients is reached with one and not without', async () => {
    await using tls = await front(mutual);
    const own = { TEMPORAL_TLS_CERT_FILE: client.cert, TEMPORAL_TLS_KEY_FILE: client.key };
    const shown = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca, ...own });
    expect(await reach(shown)).toEqual(CONNECTED);
    const without = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca });
    expect(await reach(without)).toEqual(REFUSED);
  });

  test('gets the API key of clients and workers', async () => {
    await using keeper = await startKeyKeeper(server);
    const config = temporalAt(keeper.address, {
      TEMPORAL_TLS_CA_FILE: authority.ca,
      TEMPORAL_API_KEY: 'a-key',
    });
    expect(await outcome(() => callAsClient(config))).toBe('refused');
    expect(keeper.seen.splice(0)).toContain('Bearer a-key');
    expect(await outcome(() => connectAsWorker(config))).toBe('refused');
    expect(new Set(keeper.seen)).toEqual(new Set(['Bearer a-key']));
  });
});

test('an API key is never sent in the clear', () => {
  expect(connectionOptions(temporalAt('t.example:7233', { TEMPORAL_API_KEY: 'a-key' }))).toEqual({
    address: 't.example:7233',
    apiKey: 'a-key',
    tls: {},
  });
});
