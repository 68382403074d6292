import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import '../setup/context.ts';
import { issueApiKey } from '../../lib/domain/api-key.ts';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { ownDatabase } from '../setup/own-database.ts';
import { printed } from '../setup/printed.ts';
import { startProxy, type TcpProxy } from '../setup/proxy.ts';

const root = join(import.meta.dirname, '..', '..');
let mongod: TcpProxy;
let database: AsyncDisposable;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { MONGODB_URL = '', ...others } = inject('env');
  const { hostname, port } = new URL(MONGODB_URL);
  mongod = await startProxy({ host: hostname, port: Number(port) });
  const url = `mongodb://127.0.0.1:${mongod.port}/?directConnection=true`;
  const settings = {
    API_PORT: '0',
    LOG_LEVEL: 'info',
    SHUTDOWN_GRACE_MS: '0',
    TASK_QUEUE_PREFIX: 'shutdown-',
  };
  env = { ...environment(), ...others, ...settings, MONGODB_URL: url, MONGODB_DATABASE: 'test_shutdown' };
  database = await ownDatabase(loadConfig(env).mongo);
});
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await mongod?.[Symbol.asyncDispose]();
});

function start(file: string, args: string[] = [], overrides: NodeJS.ProcessEnv = {}): ChildProcess {
  const options = { cwd: root, env: { ...env, ...overrides } };
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, file), ...args], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a process exits on SIGTERM although one of its requests never ends', async () => {
  const server = start('test/service/programs/never-answers.ts');
  const received = printed(server, /received/);
  const response = fetch(await printed(server, /http:\S+/)).catch(() => 'cut off');
  await received;
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([1, null]);
  expect(await response).toBe('cut off');
});

test('a process that fails although something is open ends with the code of its failure', async () => {
  expect(await once(start('test/service/programs/fails-open.ts'), 'exit')).toEqual([2, null]);
});

test.each([
  ['api/main.ts', /http:[^"]+/],
  ['worker/main.ts', /The worker is ready/],
  ['worker/renderer.ts', /The renderer is ready/],
])('%s exits on SIGTERM although MongoDB does not respond', { timeout: 60_000 }, async (file, ready) => {
  const child = start(file);
  const address = await printed(child, ready);
  onTestFinished(() => mongod.release());
  mongod.hold();
  if (file.startsWith('api')) await stickRequest(address);
  child.kill('SIGTERM');
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe(null);
});

test('an API exits after SHUTDOWN_GRACE_MS', { timeout: 60_000 }, async () => {
  const longGrace = start('api/main.ts', [], { SHUTDOWN_GRACE_MS: '600000' });
  const noGrace = start('api/main.ts');
  const addresses = await Promise.all([longGrace, noGrace].map((child) => printed(child, /http:[^"]+/)));
  onTestFinished(() => mongod.release());
  mongod.hold();
  await Promise.all(addresses.map(stickRequest));
  const exited = once(longGrace, 'exit');
  for (const child of [longGrace, noGrace]) child.kill('SIGTERM');
  expect(await once(noGrace, 'exit')).toEqual([1, null]);
  mongod.release();
  expect(await exited).toEqual([0, null]);
});

/** Leaves a request waiting for MongoDB. Another request on the same connection shows that the API has received it. */
async function stickRequest(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const head = (path: string) =>
    `GET /api/v1/${path} HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${issueApiKey('ija_')}\r\n\r\n`;
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(head('nowhere') + head('account'));
  await once(socket, 'data');
}

test('an operator command exits although MongoDB does not respond', { timeout: 60_000 }, async () => {
  onTestFinished(() => mongod.release());
  mongod.hold();
  const command = start('operator/main.ts', ['account', 'list']);
  expect(await once(command, 'exit')).toEqual([1, null]);
});
