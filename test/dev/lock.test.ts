import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { holderOf, lock, tryLock } from '../../dev/process/lock.ts';
import { identify } from '../../dev/process/process-identity.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const { signal } = new AbortController();

test('a lock has one holder and is free after its release', () => {
  const path = join(temporaryFolder(), 'lock');
  const first = tryLock(path);
  expect(first).toBeDefined();
  expect(tryLock(path)).toBeUndefined();
  expect(holderOf(path)?.pid).toBe(process.pid);
  first?.[Symbol.dispose]();
  expect(existsSync(path)).toBe(false);
  expect(holderOf(path)).toBeUndefined();
});

test('a waiter is notified once and gets the lock after its release', async () => {
  const path = join(temporaryFolder(), 'lock');
  const first = tryLock(path);
  const onWait = vi.fn();
  const second = lock(path, signal, onWait);
  await expect.poll(() => onWait.mock.calls).not.toHaveLength(0);
  first?.[Symbol.dispose]();
  using _ = await second;
  expect(onWait).toHaveBeenCalledOnce();
});

test('an abort ends the wait', async () => {
  const path = join(temporaryFolder(), 'lock');
  using _ = tryLock(path);
  await expect(lock(path, AbortSignal.abort(), () => {})).rejects.toThrow('aborted');
});

test('the lock of an ended process is taken over, even when its pid is in use again', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'lock');
  writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'long ago', token: 'stale' }));
  expect(holderOf(path)).toBeUndefined();
  using taken = tryLock(path);
  expect(taken).toBeDefined();
  expect(readdirSync(folder)).toEqual(['lock']);
});

test('a process is identified by its start time and its pid', () => {
  expect(identify(process.pid)).toEqual(identify(process.pid));
  expect(identify(process.pid)?.startedAt).not.toBe(identify(1)?.startedAt);
  expect(identify(2 ** 22 + 1)).toBeUndefined();
});
