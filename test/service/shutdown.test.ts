import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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

function start(file: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, file), ...args], { cwd: root, env });
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
  const request = fetch(await printed(server, /http:\S+/)).catch(() => 'cut off');
  await asked;
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([1, null]);
  expect(await request).toBe('cut off');
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
  const request = file.startsWith('api') ? stuckRequest(address) : undefined;
  child.kill('SIGTERM');
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe(null);
  await request;
});

/** A request that waits for MongoDB. */
async function stuckRequest(address: string): Promise<void> {
  const headers = { 'x-api-key': issueApiKey('ija_') };
  await fetch(`${address}/api/v1/account`, { headers }).catch(() => {});
}

test('a command of the operator ends although MongoDB says nothing', { timeout: 60_000 }, async () => {
  onTestFinished(() => mongod.release());
  mongod.hold();
  const command = start('operator/main.ts', 'account', 'list');
  expect(await once(command, 'exit')).toEqual([1, null]);
});
