import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import '../setup/context.ts';
import { environment } from '../../config.ts';
import { issueApiKey } from '../../contract/api-key.ts';
import { startProxy, type TcpProxy } from '../setup/proxy.ts';

const root = join(import.meta.dirname, '..', '..');
let mongod: TcpProxy;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { MONGODB_URL = '', ...others } = inject('env');
  const { hostname, port } = new URL(MONGODB_URL);
  mongod = await startProxy({ host: hostname, port: Number(port) });
  const url = `mongodb://127.0.0.1:${mongod.port}/?directConnection=true`;
  const own = { API_PORT: '0', LOG_LEVEL: 'info', SHUTDOWN_GRACE_MS: '0', TASK_QUEUE_PREFIX: 'shutdown-' };
  env = { ...environment(''), ...others, ...own, MONGODB_URL: url, MONGODB_DATABASE: 'test_shutdown' };
});
afterAll(() => mongod?.[Symbol.asyncDispose]());

function start(file: string, args: string[] = [], extra: NodeJS.ProcessEnv = {}): ChildProcess {
  const options = { cwd: root, env: { ...env, ...extra } };
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, file), ...args], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The first thing in what a process prints from now on that looks like this. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = '';
  return new Promise((found, fail) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [match] = pattern.exec(output) ?? [];
      if (match !== undefined) found(match);
    });
    child.once('exit', () => fail(new Error(`It ended without printing ${pattern}: ${output}`)));
  });
}

test('a process ends on SIGTERM although a request of it never does', async () => {
  const server = start('test/service/programs/never-answers.ts');
  const asked = printed(server, /asked/);
  const answer = fetch(await printed(server, /http:\S+/)).catch(() => 'cut off');
  await asked;
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([1, null]);
  expect(await answer).toBe('cut off');
});

test.each([
  ['api/main.ts', /http:[^"]+/],
  ['worker/main.ts', /The worker is ready/],
  ['worker/renderer.ts', /The renderer is ready/],
])('%s ends on SIGTERM although MongoDB says nothing any more', { timeout: 60_000 }, async (file, ready) => {
  const child = start(file);
  const address = await printed(child, ready);
  onTestFinished(() => mongod.release());
  mongod.hold();
  if (file.startsWith('api')) await stickRequest(address);
  child.kill('SIGTERM');
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe(null);
});

test('an API ends after SHUTDOWN_GRACE_MS, as the others do', { timeout: 60_000 }, async () => {
  const patient = start('api/main.ts', [], { SHUTDOWN_GRACE_MS: '600000' });
  const hasty = start('api/main.ts');
  const addresses = await Promise.all([patient, hasty].map((child) => printed(child, /http:[^"]+/)));
  onTestFinished(() => mongod.release());
  mongod.hold();
  await Promise.all(addresses.map(stickRequest));
  const answered = once(patient, 'exit');
  for (const child of [patient, hasty]) child.kill('SIGTERM');
  expect(await once(hasty, 'exit')).toEqual([1, null]);
  mongod.release();
  expect(await answered).toEqual([0, null]);
});

/** Resolves when the API has a request that waits for MongoDB, which it got together with one that it has answered. */
async function stickRequest(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const head = (path: string) =>
    `GET /api/v1/${path} HTTP/1.1\r\nHost: api\r\nX-Api-Key: ${issueApiKey('ija_')}\r\n\r\n`;
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(head('nowhere') + head('account'));
  await once(socket, 'data');
}

test('a command of the operator ends although MongoDB says nothing', { timeout: 60_000 }, async () => {
  onTestFinished(() => mongod.release());
  mongod.hold();
  const command = start('operator/main.ts', ['account', 'list']);
  expect(await once(command, 'exit')).toEqual([1, null]);
});
