import '../setup/context.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { setupDatabase } from '../../lib/stores/mongo/setup.ts';
import { REQUIRED } from '../setup/required.ts';

const root = join(import.meta.dirname, '..', '..');
const tsx = import.meta.resolve('tsx');
const PROCESSES = ['api/main.ts', 'worker/main.ts', 'worker/renderer.ts'];
const MISSING = [
  'The environment is not usable:',
  ...Object.keys(REQUIRED).map((name) => `  ${name}: must be set`),
  '',
].join('\n');

/** A folder as that in which `npm start` runs a stack, or without one. */
function folderWith(env?: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-job-api-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (env === undefined) return folder;
  mkdirSync(join(folder, '.stack'));
  writeFileSync(join(folder, '.stack', 'stack.json'), JSON.stringify({ env }));
  return folder;
}

function start(file: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const unset = Object.fromEntries(Object.keys(REQUIRED).map((name) => [name, '']));
  const child = spawn(process.execPath, ['--import', tsx, join(root, file), ...args], {
    cwd,
    env: { ...environment(), ...unset, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }) {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

test.each(PROCESSES)(
  '%s without addresses exits with 2 and names them, whatever stack runs in its folder',
  async (file) => {
    const process = start(file, [], folderWith(inject('env')));
    expect(await ended(process)).toEqual({ code: 2, out: '', err: MISSING });
  },
);

test('a renderer without the key of its generator exits with 2 and names it', async () => {
  const env = { ...REQUIRED, GENERATORS: 'bfl', BFL_API_KEY: '' };
  const { code, err } = await ended(start('worker/renderer.ts', [], folderWith(), env));
  expect([code, err]).toEqual([2, expect.stringContaining('  BFL_API_KEY: must be set')]);
});

test.each(PROCESSES)(
  '%s with a malformed list of origins or proxies exits with 2 and names both',
  async (file) => {
    const env = { ...REQUIRED, EGRESS_ALLOW_ORIGINS: 'localhost', TRUST_PROXY: 'everyone' };
    const { code, out, err } = await ended(start(file, [], folderWith(), env));
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^ {2}EGRESS_ALLOW_ORIGINS: entry 1 .*\n {2}TRUST_PROXY: "everyone" /m);
  },
);

test('an API whose port is taken says so, and what to do', async () => {
  await setupDatabase(loadConfig(inject('env')).mongo);
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const { code, out } = await ended(
    start('api/main.ts', [], folderWith(), { ...inject('env'), API_PORT: String(port), LOG_LEVEL: 'fatal' }),
  );
  expect(code).toBe(1);
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '').err.message).toBe(
    `Port ${port} of 127.0.0.1 is in use by another program. Stop it, or set API_PORT to another port.`,
  );
});

test('an operator command prints no warnings of libraries', async () => {
  const folder = folderWith({
    ...inject('env'),
    S3_INPUTS_BUCKET: 'quiet-inputs',
    S3_RESULTS_BUCKET: 'quiet-results',
    MONGODB_DATABASE: 'test_quiet',
    TASK_QUEUE_PREFIX: 'quiet-',
  });
  const env = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: '' };
  const { code, err } = await ended(start('operator/main.ts', ['setup', '--json'], folder, env));
  expect([code, err]).toEqual([0, '']);
});

test.each(PROCESSES)('%s exits with 1 and one log line when a server does not answer', async (file) => {
  const { code, out, err } = await ended(start(file, [], folderWith(), REQUIRED));
  expect([code, err]).toEqual([1, '']);
  expect(JSON.parse(out)).toMatchObject({ level: 60, err: { message: expect.any(String) } });
});

test('an operator command uses the stack that runs in its folder', async () => {
  await setupDatabase(loadConfig(inject('env')).mongo);
  const list = ['account', 'list', '--json'];
  const { code, out, err } = await ended(start('operator/main.ts', list, folderWith(inject('env'))));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual(expect.any(Array));
});

test('an operator command without addresses and without a stack exits with 2 and says what to do', async () => {
  const message =
    'MONGODB_URL is not set and no stack of `npm start` was found in .stack/stack.json.\n' +
    'Run `npm start` in this folder, or set the variables of .env.example.';
  const folder = folderWith();
  const command = start('operator/main.ts', ['account', 'list'], folder);
  expect(await ended(command)).toEqual({ code: 2, out: '', err: `${message}\n` });
  const json = start('operator/main.ts', ['account', 'list', '--json'], folder);
  expect(await ended(json)).toEqual({
    code: 2,
    out: '',
    err: `${JSON.stringify({ error: { message } })}\n`,
  });
});

test('an operator command with some of the addresses exits with 2 and names the others', async () => {
  const { MONGODB_URL } = REQUIRED;
  const command = start('operator/main.ts', ['setup'], folderWith(inject('env')), { MONGODB_URL });
  expect(await ended(command)).toEqual({
    code: 2,
    out: '',
    err: MISSING.replace('  MONGODB_URL: must be set\n', ''),
  });
});

test('a bundle that cannot be written exits with 1 and one line', async () => {
  const folder = folderWith();
  writeFileSync(join(folder, 'dist'), 'not a folder');
  const { code, err } = await ended(start('worker/bundle-main.ts', [], folder));
  expect(code).toBe(1);
  expect(err).toMatch(/^.*dist.*\n$/);
});
