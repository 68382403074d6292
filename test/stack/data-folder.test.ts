import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  endOrphans,
  FolderInUseError,
  openDataFolder,
  openPassingFolder,
} from '../../stack/run/data-folder.ts';
import { writePidFile } from '../../stack/run/pid-file.ts';
import { identify } from '../../stack/run/process-identity.ts';
import { firstLine, startProgram, temporaryFolder } from './helpers.ts';
import { descendantsOf } from './processes.ts';

const quiet = () => {};

test('a folder is used by one process at a time', async () => {
  const root = temporaryFolder();
  const first = await openDataFolder(root, quiet);
  await expect(openDataFolder(root, quiet)).rejects.toThrow(FolderInUseError);
  first[Symbol.dispose]();
  using again = await openDataFolder(root, quiet);
  expect(again.root).toBe(root);
});

test("a data folder is this user's alone, also one that was made open to others", async () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const root = join(temporaryFolder(), 'data');
  mkdirSync(root);
  chmodSync(root, 0o755);
  using lasting = await openDataFolder(root, quiet);
  expect(modeOf(lasting.root)).toBe(0o700);
  using fresh = await openDataFolder(join(root, 'new'), quiet);
  expect(modeOf(fresh.root)).toBe(0o700);
  const shared = join(root, 'shared');
  mkdirSync(shared, { mode: 0o755 });
  using passing = await openPassingFolder(shared, quiet);
  expect([modeOf(shared), modeOf(passing.root)]).toEqual([0o700, 0o700]);
});

test('children of a killed parent end by themselves, also one that ends on no polite signal', async () => {
  const root = temporaryFolder();
  const parent = startProgram('hold-folder', root);
  const pid = Number(await firstLine(parent));
  const left = descendantsOf(parent.pid ?? 0);
  expect(left).toContain(pid);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => left.every((one) => identify(one) === undefined), { timeout: 20_000 });
  await vi.waitUntil(() => readdirSync(join(root, 'pids')).length === 0, { timeout: 20_000 });
}, 50_000);

test('children of a new owner are not taken for those of a killed one', async () => {
  using folder = await openDataFolder(temporaryFolder(), quiet);
  const child = startProgram('await-signal');
  await firstLine(child);
  writePidFile(folder.pids, 'child', child.pid ?? 0);
  await endOrphans(folder.root);
  expect(readdirSync(folder.pids)).toEqual(['child.json']);
  expect(identify(child.pid ?? 0)).toBeDefined();
});

test('children of a parent that was killed with what guards them are ended at the next start', async () => {
  const root = temporaryFolder();
  const parent = startProgram('hold-folder', root);
  const pid = Number(await firstLine(parent));
  await expect(openDataFolder(root, quiet)).rejects.toThrow(`Process ${parent.pid} already runs`);
  for (const other of descendantsOf(parent.pid ?? 0)) if (other !== pid) process.kill(other, 'SIGKILL');
  parent.kill('SIGKILL');
  await vi.waitUntil(() => parent.signalCode);
  expect(identify(pid)).toBeDefined();

  const said: string[] = [];
  using _ = await openDataFolder(root, (line) => said.push(line));
  expect(identify(pid)).toBeUndefined();
  expect(said).toEqual([`ending stubborn (pid ${pid}), left by an earlier start`]);
}, 20_000);

test('a process that has merely got a leftover pid is left alone', async () => {
  const root = temporaryFolder();
  (await openDataFolder(root, quiet))[Symbol.dispose]();
  writeFileSync(
    join(root, 'pids', 'mongod.json'),
    JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
  );
  using folder = await openDataFolder(root, () => expect.unreachable());
  expect(readdirSync(folder.pids)).toEqual([]);
});

test('passing folders stand side by side and go with their owner', async () => {
  const root = temporaryFolder();
  const first = await openPassingFolder(root, quiet);
  using second = await openPassingFolder(root, quiet);
  expect(readdirSync(root)).toHaveLength(2);
  first[Symbol.dispose]();
  expect(existsSync(first.root)).toBe(false);
  expect(existsSync(second.root)).toBe(true);
});

test('a passing folder whose owner was killed goes at the next start', async () => {
  const root = temporaryFolder();
  const dead = join(root, 'run-dead');
  (await openDataFolder(dead, quiet))[Symbol.dispose]();
  writeFileSync(
    join(dead, 'owner.lock'),
    JSON.stringify({ pid: 1, startedAt: 'long ago', token: 'of-the-dead' }),
  );
  using _ = await openPassingFolder(root, quiet);
  expect(existsSync(dead)).toBe(false);
});
