import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  endOrphans,
  FolderInUseError,
  openDataFolder,
  openTemporaryFolder,
} from '../../dev/process/data-folder.ts';
import { writePidFile } from '../../dev/process/pid-file.ts';
import { identify } from '../../dev/process/process-identity.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { firstLine, startProgram } from './helpers.ts';
import { descendantsOf } from './processes.ts';

const silent = () => {};

test('a folder is used by one process at a time', async () => {
  const root = temporaryFolder();
  const first = await openDataFolder(root, silent);
  await expect(openDataFolder(root, silent)).rejects.toThrow(FolderInUseError);
  first[Symbol.dispose]();
  using again = await openDataFolder(root, silent);
  expect(again.root).toBe(root);
});

test('a data folder is made private to this user, also an existing one', async () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const root = join(temporaryFolder(), 'data');
  mkdirSync(root);
  chmodSync(root, 0o755);
  using lasting = await openDataFolder(root, silent);
  expect(modeOf(lasting.root)).toBe(0o700);
  using fresh = await openDataFolder(join(root, 'new'), silent);
  expect(modeOf(fresh.root)).toBe(0o700);
  const shared = join(root, 'shared');
  mkdirSync(shared, { mode: 0o755 });
  using temporary = await openTemporaryFolder(shared, silent);
  expect([modeOf(shared), modeOf(temporary.root)]).toEqual([0o700, 0o700]);
});

test('children of a killed parent are stopped, even one that ignores SIGTERM', async () => {
  const root = temporaryFolder();
  const parent = startProgram('hold-folder', root);
  const pid = Number(await firstLine(parent));
  const children = descendantsOf(parent.pid ?? 0);
  expect(children).toContain(pid);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => children.every((child) => identify(child) === undefined), { timeout: 20_000 });
  await vi.waitUntil(() => readdirSync(join(root, 'pids')).length === 0, { timeout: 20_000 });
}, 50_000);

test('children of a new owner are not stopped as leftovers', async () => {
  using folder = await openDataFolder(temporaryFolder(), silent);
  const child = startProgram('await-signal');
  await firstLine(child);
  writePidFile(folder.pids, 'child', child.pid ?? 0);
  await endOrphans(folder.root);
  expect(readdirSync(folder.pids)).toEqual(['child.json']);
  expect(identify(child.pid ?? 0)).toBeDefined();
});

test('children of a parent that was killed together with the guard are stopped at the next start', async () => {
  const root = temporaryFolder();
  const parent = startProgram('hold-folder', root);
  const pid = Number(await firstLine(parent));
  await expect(openDataFolder(root, silent)).rejects.toThrow(`Process ${parent.pid} already runs`);
  for (const other of descendantsOf(parent.pid ?? 0)) if (other !== pid) process.kill(other, 'SIGKILL');
  parent.kill('SIGKILL');
  await expect.poll(() => parent.signalCode).toBeTruthy();
  expect(identify(pid)).toBeDefined();

  const messages: string[] = [];
  using _ = await openDataFolder(root, (line) => messages.push(line));
  expect(identify(pid)).toBeUndefined();
  expect(messages).toEqual([`stopping stubborn (pid ${pid}), left by an earlier start`]);
}, 20_000);

test('another process that reuses the pid of a leftover is not stopped', async () => {
  const root = temporaryFolder();
  (await openDataFolder(root, silent))[Symbol.dispose]();
  writeFileSync(
    join(root, 'pids', 'mongod.json'),
    JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
  );
  using folder = await openDataFolder(root, () => expect.unreachable());
  expect(readdirSync(folder.pids)).toEqual([]);
});

test('temporary folders coexist and are deleted with their owner', async () => {
  const root = temporaryFolder();
  const first = await openTemporaryFolder(root, silent);
  using second = await openTemporaryFolder(root, silent);
  expect(readdirSync(root)).toHaveLength(2);
  first[Symbol.dispose]();
  expect(existsSync(first.root)).toBe(false);
  expect(existsSync(second.root)).toBe(true);
});

test('a temporary folder whose owner was killed is deleted at the next start', async () => {
  const root = temporaryFolder();
  const dead = join(root, 'run-dead');
  (await openDataFolder(dead, silent))[Symbol.dispose]();
  writeFileSync(join(dead, 'owner.lock'), JSON.stringify({ pid: 1, startedAt: 'long ago', token: 'stale' }));
  using _ = await openTemporaryFolder(root, silent);
  expect(existsSync(dead)).toBe(false);
});
