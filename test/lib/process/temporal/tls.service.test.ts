import '../../../setup/context.ts';
import { readFileSync } from 'node:fs';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { type Config, loadConfig } from '../../../../lib/process/config/config.ts';
import { connectionOptions, openTemporal } from '../../../../lib/process/temporal-client.ts';
import { registerSearchAttributes } from '../../../../operator/setup/register-search-attributes.ts';
import { createAuthority, type Issued } from './authority.ts';
import { startKeyRecorder, startTlsProxy } from './tls-front.ts';

const authority = createAuthority();
const server = authority.issue('DNS:temporal.example,DNS:localhost');
const client = authority.issue('DNS:worker.example');
afterAll(() => authority[Symbol.dispose]());

/** Outcomes of the client and of the worker. */
const CONNECTED = ['connected', 'connected'];
const REFUSED = ['refused', 'refused'];

const pem = ({ cert, key }: Issued) => ({ cert: readFileSync(cert), key: readFileSync(key) });
const startProxy = (options = {}) =>
  startTlsProxy(inject('env').TEMPORAL_ADDRESS ?? '', { ...pem(server), ...options });
const mutual = { ca: readFileSync(authority.ca), requestCert: true, rejectUnauthorized: true };

function temporalAt(address: string, env: Record<string, string>): Config['temporal'] {
  return loadConfig({ ...inject('env'), TEMPORAL_ADDRESS: address, ...env }).temporal;
}

/** Connects as the client and as the worker. @returns the outcome of each */
async function connectBoth(config: Config['temporal']): Promise<string[]> {
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
  test('accepts clients, workers and the operator that trust its CA', async () => {
    await using tls = await startProxy();
    const config = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca });
    expect(await connectBoth(config)).toEqual(CONNECTED);
    await registerSearchAttributes(config);
  });

  test('refuses a connection that does not trust its CA, or does not use TLS', async () => {
    await using tls = await startProxy();
    const unknown = temporalAt(tls.address, { TEMPORAL_TLS: 'true' });
    const plain = temporalAt(tls.address, {});
    expect(await Promise.all([connectBoth(unknown), connectBoth(plain)])).toEqual([REFUSED, REFUSED]);
  });

  test('is refused if its certificate does not match the expected name', async () => {
    await using tls = await startProxy();
    const named = (name: string) =>
      temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca, TEMPORAL_TLS_SERVER_NAME: name });
    expect(await connectBoth(named('temporal.example'))).toEqual(CONNECTED);
    expect(await connectBoth(named('other.example'))).toEqual(REFUSED);
  });

  test('with mTLS accepts only connections with a client certificate', async () => {
    await using tls = await startProxy(mutual);
    const clientCert = { TEMPORAL_TLS_CERT_FILE: client.cert, TEMPORAL_TLS_KEY_FILE: client.key };
    const withCert = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca, ...clientCert });
    expect(await connectBoth(withCert)).toEqual(CONNECTED);
    const withoutCert = temporalAt(tls.address, { TEMPORAL_TLS_CA_FILE: authority.ca });
    expect(await connectBoth(withoutCert)).toEqual(REFUSED);
  });

  test('receives the API key of clients and workers', async () => {
    await using recorder = await startKeyRecorder(server);
    const config = temporalAt(recorder.address, {
      TEMPORAL_TLS_CA_FILE: authority.ca,
      TEMPORAL_API_KEY: 'a-key',
    });
    expect(await outcome(() => callAsClient(config))).toBe('refused');
    expect(recorder.authorizations.splice(0)).toContain('Bearer a-key');
    expect(await outcome(() => connectAsWorker(config))).toBe('refused');
    expect(new Set(recorder.authorizations)).toEqual(new Set(['Bearer a-key']));
  });
});

test('an API key enables TLS', () => {
  expect(connectionOptions(temporalAt('t.example:7233', { TEMPORAL_API_KEY: 'a-key' }))).toEqual({
    address: 't.example:7233',
    apiKey: 'a-key',
    tls: {},
  });
});
