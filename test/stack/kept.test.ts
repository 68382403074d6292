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
import { expect, test, vi } from 'vitest';
import { slot } from '../../stack/obtain/cache.ts';
import { cached } from '../../stack/obtain/cached.ts';
import { kept } from '../../stack/obtain/kept.ts';
import { firstLine, outputOf, startProgram, temporaryFolder, writeExecutable } from './helpers.ts';

const task = { signal: new AbortController().signal, report: () => {} };

test('of processes that start at once one makes the binary and all get it', async () => {
  const cache = temporaryFolder();
  const journal = join(cache, 'journal');
  const programs = [1, 2, 3].map(() => startProgram('fill-slot', cache, journal, '300'));
  const outputs = await Promise.all(programs.map(outputOf));
  for (const output of outputs) expect(output.endsWith(slot(cache, 'tool', 'v1').binary)).toBe(true);
  expect(readFileSync(journal, 'utf8')).toBe('made\n');
});

test('a process killed while it builds leaves neither a binary nor a lock that holds, and its parts go', async () => {
  const cache = temporaryFolder();
  const killed = startProgram('fill-slot', cache, join(cache, 'journal'), '600000');
  await firstLine(killed);
  killed.kill('SIGKILL');
  await vi.waitUntil(() => killed.signalCode);
  const place = slot(cache, 'tool', 'v1');
  expect(existsSync(place.folder)).toBe(false);
  expect(existsSync(`${place.folder}.lock`)).toBe(true);

  const strategy = kept(place, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  expect(await strategy.attempt(task)).toBe(place.binary);
  expect(readdirSync(cache).sort()).toEqual(['journal', 'tool-v1']);
});

test('a failed making leaves nothing behind and can be tried again', async () => {
  const cache = temporaryFolder();
  const place = slot(cache, 'tool', 'v1');
  const broken = kept(place, 'build', async (folder) => {
    writeFileSync(join(folder, 'half'), 'half');
    throw new Error('the compiler gave up');
  });
  await expect(broken.attempt(task)).rejects.toThrow('the compiler gave up');
  expect(readdirSync(cache)).toEqual([]);
});

test('what does not run is not kept', async () => {
  const cache = temporaryFolder();
  const place = slot(cache, 'tool', 'v1');
  const strategy = kept(place, 'build', async (folder) => writeExecutable(join(folder, 'built'), 'exit 3'));
  await expect(strategy.attempt(task)).rejects.toThrow('ended with 3');
  expect(existsSync(place.folder)).toBe(false);
});

test('a damaged slot is replaced as a whole', async () => {
  const cache = temporaryFolder();
  const place = slot(cache, 'tool', 'v1');
  mkdirSync(place.folder);
  writeFileSync(join(place.folder, 'rest'), 'of something');
  const strategy = kept(place, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  await strategy.attempt(task);
  expect(readdirSync(place.folder)).toEqual(['tool']);
});

test("the cache is this user's alone when something is put there and when something is taken from there", async () => {
  const cache = temporaryFolder();
  const place = slot(cache, 'tool', 'v1');
  const modeOfCache = () => statSync(cache).mode & 0o777;
  chmodSync(cache, 0o777);
  const strategy = kept(place, 'build', async (folder) => writeExecutable(join(folder, 'built')));
  await strategy.attempt(task);
  expect(modeOfCache()).toBe(0o700);
  chmodSync(cache, 0o777);
  await cached(place).attempt(task);
  expect(modeOfCache()).toBe(0o700);
});
