import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cached, cacheInto, slot } from '../../dev/obtain/cache.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { firstLine, outputOf, startProgram, writeExecutable } from './helpers.ts';

const task = { signal: new AbortController().signal, report: () => {} };

test('of several concurrent processes one creates the binary and all use it', async () => {
  const cache = temporaryFolder();
  const journal = join(cache, 'journal');
  const programs = [1, 2, 3].map(() => startProgram('fill-slot', cache, journal, '300'));
  const outputs = await Promise.all(programs.map(outputOf));
  for (const output of outputs) expect(output.endsWith(slot(cache, 'tool', 'v1').binary)).toBe(true);
  expect(readFileSync(journal, 'utf8')).toBe('made\n');
});

test('a process killed during a build leaves no binary; its lock is taken over and its files are deleted', async () => {
  const cache = temporaryFolder();
  const killed = startProgram('fill-slot', cache, join(cache, 'journal'), '600000');
  await firstLine(killed);
  killed.kill('SIGKILL');
  await expect.poll(() => killed.signalCode).toBeTruthy();
  const target = slot(cache, 'tool', 'v1');
  expect(existsSync(target.folder)).toBe(false);
  expect(existsSync(`${target.folder}.lock`)).toBe(true);

  const strategy = cacheInto(target, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  expect(await strategy.attempt(task)).toBe(target.binary);
  expect(readdirSync(cache).sort()).toEqual(['journal', 'tool-v1']);
});

test('a failed build leaves no files and can be retried', async () => {
  const cache = temporaryFolder();
  const target = slot(cache, 'tool', 'v1');
  const broken = cacheInto(target, 'build', async (folder) => {
    writeFileSync(join(folder, 'half'), 'half');
    throw new Error('the compiler gave up');
  });
  await expect(broken.attempt(task)).rejects.toThrow('the compiler gave up');
  expect(readdirSync(cache)).toEqual([]);
});

test('a binary that does not run is not cached', async () => {
  const cache = temporaryFolder();
  const target = slot(cache, 'tool', 'v1');
  const strategy = cacheInto(target, 'build', async (folder) =>
    writeExecutable(join(folder, 'built'), 'exit 3'),
  );
  await expect(strategy.attempt(task)).rejects.toThrow('ended with 3');
  expect(existsSync(target.folder)).toBe(false);
});

test('a damaged slot is replaced as a whole', async () => {
  const cache = temporaryFolder();
  const target = slot(cache, 'tool', 'v1');
  mkdirSync(target.folder);
  writeFileSync(join(target.folder, 'other'), 'content');
  const strategy = cacheInto(target, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  await strategy.attempt(task);
  expect(readdirSync(target.folder)).toEqual(['tool']);
});

test('the cache folder is made private on every write and read', async () => {
  const cache = temporaryFolder();
  const target = slot(cache, 'tool', 'v1');
  const modeOfCache = () => statSync(cache).mode & 0o777;
  chmodSync(cache, 0o777);
  const strategy = cacheInto(target, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  await strategy.attempt(task);
  expect(modeOfCache()).toBe(0o700);
  chmodSync(cache, 0o777);
  await cached(target).attempt(task);
  expect(modeOfCache()).toBe(0o700);
});
