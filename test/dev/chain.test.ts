import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { cached, cacheFolder, slot } from '../../dev/obtain/cache.ts';
import { ObtainError, obtain, type Strategy } from '../../dev/obtain/chain.ts';
import { onPath } from '../../dev/obtain/on-path.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { writeExecutable } from './helpers.ts';

const task = { signal: new AbortController().signal, report: () => {} };

const obtainTool = (strategies: readonly Strategy[], signal = task.signal) =>
  obtain('tool', strategies, 'Install tool.', { say: () => {}, signal });

function failing(name: string, reason: string): Strategy {
  return { name, attempt: async () => Promise.reject(new Error(reason)) };
}

test('an executable on PATH is preferred to the cached one', async () => {
  const folder = temporaryFolder();
  const onUsersPath = writeExecutable(join(folder, 'tool'));
  const target = slot(folder, 'tool', 'v1');
  mkdirSync(target.folder);
  writeExecutable(target.binary);
  const env = { PATH: ['/nowhere', folder].join(delimiter) };
  expect(await obtainTool([onPath('tool', env), cached(target)])).toBe(onUsersPath);
  expect(await obtainTool([onPath('tool', {}), cached(target)])).toBe(target.binary);
});

test('an executable that does not run on this machine is skipped', async () => {
  const folder = temporaryFolder();
  writeExecutable(join(folder, 'tool'), 'echo "libc is too old"; exit 1');
  const found = obtainTool([onPath('tool', { PATH: folder })]);
  await expect(found).rejects.toThrow('libc is too old');
});

test('an executable on PATH of another release than the pinned one is skipped, and the reason names both', async () => {
  const folder = temporaryFolder();
  const path = writeExecutable(join(folder, 'tool'), '[ "$1" = version ] && echo "tool v1.2.3 (release)"');
  const attempt = (release: string) =>
    onPath('tool', { PATH: folder }, { release, proof: ['version'] }).attempt(task);
  expect(await attempt('v1.2.3')).toBe(path);
  await expect(attempt('v1.2.4')).rejects.toThrow(`${path} is v1.2.3, not v1.2.4`);
  writeExecutable(path, 'echo development');
  await expect(attempt('v1.2.3')).rejects.toThrow(`${path} is of no known version, not v1.2.3`);
  writeExecutable(path, 'echo 1.2.3-rc.1');
  await expect(attempt('v1.2.3')).rejects.toThrow(`${path} is v1.2.3-rc.1, not v1.2.3`);
});

test('when every strategy fails, one error lists them with their reasons', async () => {
  const folder = temporaryFolder();
  const strategies = [
    cached(slot(folder, 'tool', 'v1')),
    failing('download', 'no network'),
    failing('build', 'no Go'),
  ];
  const error = await obtainTool(strategies).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ObtainError);
  expect(String(error)).toContain(`cached: nothing at ${join(folder, 'tool-v1', 'tool')}`);
  expect(String(error)).toContain('download: no network');
  expect(String(error)).toContain('build: no Go');
});

test('an abort ends the chain before the next strategy', async () => {
  const controller = new AbortController();
  const aborting: Strategy = {
    name: 'aborting',
    attempt: async () => {
      controller.abort(new Error('Ctrl-C'));
      throw new Error('interrupted');
    },
  };
  const strategies = [aborting, { name: 'next', attempt: async () => 'never' }];
  await expect(obtainTool(strategies, controller.signal)).rejects.toThrow('Ctrl-C');
});

test('the cache folder is that of the platform, unless XDG_CACHE_HOME is set', () => {
  expect(cacheFolder({ HOME: '/home/a' }, 'linux')).toBe('/home/a/.cache/image-job-api');
  expect(cacheFolder({ HOME: '/Users/a' }, 'darwin')).toBe('/Users/a/Library/Caches/image-job-api');
  expect(cacheFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/c' }, 'linux')).toBe('/c/image-job-api');
});
