import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DiskFullError, requireSpace } from '../../dev/process/disk-space.ts';
import { logTail } from '../../dev/process/log-tail.ts';
import { environment } from '../../lib/process/config/config.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const tsx = import.meta.resolve('tsx');
const NO_SERVERS = { MONGODB_URL: '', TEMPORAL_ADDRESS: '', S3_ENDPOINT: '', PUBLIC_URL: '', PORT: '' };

/** Runs what `npm start` runs, in an empty folder, until it ends. */
async function start(env: Record<string, string>, ...args: string[]) {
  const folder = temporaryFolder();
  const main = join(root, 'dev/stack/main.ts');
  const child = spawn(process.execPath, ['--import', tsx, main, ...args], {
    cwd: folder,
    env: { ...environment(), ...NO_SERVERS, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err, folder };
}

describe('npm start', () => {
  test('reports every problem of the environment before it starts anything', async () => {
    const { code, out, err, folder } = await start({
      API_PORT: 'abc',
      LOG_LEVEL: 'loud',
      GENERATORS: 'dall-e',
    });
    expect([code, out]).toEqual([2, '']);
    expect(err.trim().split('\n')).toEqual([
      'The environment is not usable:',
      '  API_PORT: must be a whole number from 0 to 65535, not "abc"',
      expect.stringMatching(/^ {2}LOG_LEVEL: must be one of fatal, error, .*, not "loud"$/),
      expect.stringMatching(/^ {2}GENERATORS: unknown generator "dall-e"; known: preview, /),
    ]);
    expect(existsSync(join(folder, '.stack'))).toBe(false);
  });

  test('reports what only the renderer needs', async () => {
    const { code, err } = await start({ GENERATORS: 'bfl', BFL_API_KEY: '' });
    expect([code, err]).toEqual([2, expect.stringContaining('  BFL_API_KEY: must be set')]);
    const graph = {
      GENERATORS: 'comfyui',
      COMFYUI_BASE_URL: 'http://127.0.0.1:1',
      COMFYUI_GRAPH: '/nowhere',
    };
    expect((await start(graph)).err).toContain('COMFYUI_GRAPH: /nowhere cannot be read');
  });

  test('names a port that is taken, and what to do, before it starts anything', async () => {
    await using server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, out, err } = await start({ API_PORT: String(port) });
    expect([code, out]).toEqual([1, '']);
    expect(err.trim()).toBe(
      `Port ${port} of 127.0.0.1 is in use by another program. Stop it, or set API_PORT to another port.`,
    );
  });

  test('names an API_HOST that is not an address of this machine', async () => {
    for (const API_PORT of ['', '9000']) {
      const { code, err } = await start({ API_HOST: '192.0.2.1', API_PORT });
      expect([code, err]).toEqual([1, expect.stringContaining('API_HOST: 192.0.2.1 is not an address')]);
    }
  });

  test('explains itself, and refuses arguments it does not know', async () => {
    expect(await start({}, '--help')).toMatchObject({ code: 0, out: expect.stringContaining('Ctrl-C') });
    for (const wrong of ['--port=9000', 'now']) {
      const { code, out, err } = await start({}, wrong);
      expect([code, out]).toEqual([2, '']);
      expect(err.trim()).toMatch(/^(Unknown option|Unexpected argument) [^\n]*npm start -- --help\.$/);
    }
  });
});

test('a full disk is named with its folder, and what is needed', () => {
  const folder = temporaryFolder();
  requireSpace(folder, 0);
  expect(() => requireSpace(folder, 10 ** 12)).toThrow(DiskFullError);
  expect(() => requireSpace(folder, 10 ** 12)).toThrow(`The disk of ${folder} is full`);
});

test('the end of a log is shown without JSON and stack traces', () => {
  const file = join(temporaryFolder(), 'api.log');
  const err = {
    type: 'Error',
    message: 'Port 80 is in use.',
    stack: 'at here',
    cause: { type: 'Error', message: 'EADDRINUSE' },
  };
  writeFileSync(
    file,
    [
      JSON.stringify({ level: 60, msg: 'The process has failed.', err }),
      JSON.stringify({
        s: 'F',
        msg: 'WiredTiger error',
        attr: { error: 28, message: 'No space left on device' },
      }),
      'Error: plain',
      '    at somewhere (file.ts:1:2)',
      '{ not JSON',
      '',
    ].join('\n'),
  );
  expect(logTail(file)).toEqual([
    'The process has failed. Port 80 is in use. (EADDRINUSE)',
    'WiredTiger error {"error":28,"message":"No space left on device"}',
    'Error: plain',
    '{ not JSON',
  ]);
});
