import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { environment } from '../../config.ts';
import { Child } from '../../stack/run/child.ts';
import { identify } from '../../stack/run/process-identity.ts';
import { temporaryFolder } from './helpers.ts';

const forever = 'setInterval(() => {}, 1000);';

function makeChild(
  script: string,
  probe: () => Promise<unknown> = async () => {},
  extra: (folder: string) => Record<string, string> = () => ({}),
) {
  const folder = temporaryFolder();
  const said: string[] = [];
  const child = new Child(
    {
      name: 'sleeper',
      command: process.execPath,
      args: ['-e', script],
      env: { ...environment(''), ...extra(folder) },
      probe,
      readyWithinMs: 10_000,
      graceMs: 300,
    },
    {
      logFile: join(folder, 'logs', 'sleeper.log'),
      pidFolder: join(folder, 'pids'),
      say: (line) => said.push(line),
      signal: new AbortController().signal,
    },
  );
  onTestFinished(() => child.stop('SIGKILL'));
  return { child, said, folder };
}

test('a child that dies is started again, and that is said', async () => {
  const { child, said } = makeChild(forever);
  await child.start();
  const first = child.pid;
  child.kill('SIGKILL');
  await vi.waitUntil(() => said.includes('sleeper is back'), { timeout: 5_000 });
  expect(said[0]).toBe('sleeper ended with SIGKILL; starting it again in 0.25 s');
  expect(child.pid).not.toBe(first);
});

test('the wait before a restart grows while the child keeps dying', async () => {
  const { child, said } = makeChild('setTimeout(() => process.exit(3), 100)');
  await child.start();
  await vi.waitUntil(() => said.filter((line) => line.includes('ended')).length >= 3, { timeout: 10_000 });
  const waits = said
    .filter((line) => line.includes('ended'))
    .map((line) => Number(/in ([\d.]+) s/.exec(line)?.[1]));
  expect(waits.slice(0, 3)).toEqual([0.25, 0.5, 1]);
});

test('a stopped child stays down until it is started', async () => {
  const { child, said } = makeChild(forever);
  await child.start();
  const { pid } = child;
  await child.stop('SIGKILL');
  expect(pid && identify(pid)).toBeUndefined();
  expect(child.pid).toBeUndefined();
  await child.start();
  expect(child.pid).toBeDefined();
  expect(said).toEqual([]);
});

test('a child that ignores SIGTERM is killed after its grace, a paused one as well', async () => {
  const { child, folder } = makeChild(
    `process.on('SIGTERM', () => {}); console.log('deaf'); ${forever}`,
    async () => {
      if (!readFileSync(join(folder, 'logs', 'sleeper.log'), 'utf8').includes('deaf'))
        throw new Error('not yet');
    },
  );
  await child.start();
  const { pid } = child;
  child.pause();
  await child.stop();
  expect(pid && identify(pid)).toBeUndefined();
});

test("what a child writes, its log included, is this user's alone, and the parent's own umask stays", async () => {
  const before = process.umask();
  const { child, folder } = makeChild(
    `require('node:fs').writeFileSync(process.env.FILE, ''); console.log('written'); ${forever}`,
    async () => {
      if (!readFileSync(join(folder, 'logs', 'sleeper.log'), 'utf8').includes('written'))
        throw new Error('not yet');
    },
    (folder) => ({ FILE: join(folder, 'written') }),
  );
  await child.start();
  const modeOf = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777;
  expect([modeOf('written'), modeOf('logs'), modeOf('logs', 'sleeper.log')]).toEqual([0o600, 0o700, 0o600]);
  expect(process.umask()).toBe(before);
});

test('a child that ends before it is ready fails the start with the end of its log', async () => {
  const { child } = makeChild('console.error("port is taken"); process.exit(1)', () =>
    Promise.reject(new Error('no')),
  );
  await expect(child.start()).rejects.toThrow(/before it was ready[\s\S]*port is taken/);
});

test('a command that does not exist fails the start', async () => {
  const folder = temporaryFolder();
  const spec = {
    name: 'x',
    command: '/does/not/exist',
    args: [],
    env: {},
    readyWithinMs: 1_000,
    graceMs: 100,
  };
  const { signal } = new AbortController();
  const host = { logFile: join(folder, 'x.log'), pidFolder: folder, say: () => {}, signal };
  await expect(new Child({ ...spec, probe: () => delay(10) }, host).start()).rejects.toThrow('ENOENT');
});
