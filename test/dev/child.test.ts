import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Child } from '../../dev/process/child.ts';
import { identify } from '../../dev/process/process-identity.ts';
import { environment } from '../../lib/process/config/config.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const forever = 'setInterval(() => {}, 1000);';

function makeChild(
  script: string,
  probe: () => Promise<unknown> = async () => {},
  environmentFor: (folder: string) => Record<string, string> = () => ({}),
) {
  const folder = temporaryFolder();
  const messages: string[] = [];
  const child = new Child(
    {
      name: 'sleeper',
      command: process.execPath,
      args: ['-e', script],
      env: { ...environment(), ...environmentFor(folder) },
      probe,
      readyWithinMs: 10_000,
      graceMs: 300,
    },
    {
      logFile: join(folder, 'logs', 'sleeper.log'),
      pidFolder: join(folder, 'pids'),
      say: (line) => messages.push(line),
      signal: new AbortController().signal,
    },
  );
  onTestFinished(() => child.stop('SIGKILL'));
  return { child, messages, folder };
}

test('a child that dies is restarted, with a message', async () => {
  const { child, messages } = makeChild(forever);
  await child.start();
  const first = child.pid;
  child.kill('SIGKILL');
  await vi.waitUntil(() => messages.includes('sleeper is back'), { timeout: 5_000 });
  expect(messages[0]).toMatch(
    /^sleeper ended with SIGKILL; starting it again in 0\.25 s\. Its log: .*sleeper\.log$/,
  );
  expect(child.pid).not.toBe(first);
});

test('the backoff grows while the child keeps dying', async () => {
  const { child, messages } = makeChild('setTimeout(() => process.exit(3), 100)');
  await child.start();
  await vi.waitUntil(() => messages.filter((line) => line.includes('ended')).length >= 3, {
    timeout: 10_000,
  });
  const waits = messages
    .filter((line) => line.includes('ended'))
    .map((line) => Number(/in ([\d.]+) s/.exec(line)?.[1]));
  expect(waits.slice(0, 3)).toEqual([0.25, 0.5, 1]);
});

test('a stopped child stays down until it is started', async () => {
  const { child, messages } = makeChild(forever);
  await child.start();
  const { pid } = child;
  await child.stop('SIGKILL');
  expect(pid && identify(pid)).toBeUndefined();
  expect(child.pid).toBeUndefined();
  await child.start();
  expect(child.pid).toBeDefined();
  expect(messages).toEqual([]);
});

test('a child that ignores SIGTERM is killed after its grace period, even when paused', async () => {
  const { child, folder } = makeChild(
    `process.on('SIGTERM', () => {}); console.log('ready'); ${forever}`,
    async () => {
      if (!readFileSync(join(folder, 'logs', 'sleeper.log'), 'utf8').includes('ready'))
        throw new Error('not yet');
    },
  );
  await child.start();
  const { pid } = child;
  child.pause();
  await child.stop();
  expect(pid && identify(pid)).toBeUndefined();
});

test('files and logs of a child are private to this user, and the umask of the parent is unchanged', async () => {
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

test('start fails with the end of the log when the child ends before it is ready', async () => {
  const { child } = makeChild('console.error("port is taken"); process.exit(1)', () =>
    Promise.reject(new Error('no')),
  );
  await expect(child.start()).rejects.toThrow(/before it was ready[\s\S]*port is taken/);
});

test('start fails when the command does not exist', async () => {
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
