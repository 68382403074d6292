import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { guardChildren } from './guard.ts';
import { holderOf, type Lock, lock, tryLock } from './lock.ts';
import { endLeftovers } from './pid-file.ts';
import { privateFolder } from './private-folder.ts';

/** Far longer than it takes; nothing ends a process that the kernel holds. */
const ENDING_MS = 30_000;

/** Another process runs servers on this folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** A folder that this process alone runs servers on and this user alone can read; every path is absolute. */
export type DataFolder = Disposable & {
  root: string;
  pids: string;
  file: (...parts: string[]) => string;
};

type Say = (line: string) => void;

/** Claims a lasting folder. @throws {FolderInUseError} */
export async function openDataFolder(path: string, say: Say): Promise<DataFolder> {
  return claim(resolve(path), say, () => {});
}

/** Makes a folder below `path` that goes with this process; what killed processes left there goes first. */
export async function openPassingFolder(path: string, say: Say): Promise<DataFolder> {
  privateFolder(path);
  for (const entry of readdirSync(path)) {
    const old = resolve(path, entry);
    if (!entry.startsWith('run-') || !existsSync(ownerFile(old)) || holderOf(ownerFile(old))) continue;
    await endLeftovers(pidFolder(old), say);
    rmSync(old, { recursive: true, force: true });
  }
  const root = mkdtempSync(join(resolve(path), 'run-'));
  return claim(root, say, () => rmSync(root, { recursive: true, force: true }));
}

async function claim(root: string, say: Say, onClose: () => void): Promise<DataFolder> {
  privateFolder(root);
  const owner: Lock | undefined = tryLock(ownerFile(root));
  if (!owner) {
    throw new FolderInUseError(
      `Process ${holderOf(ownerFile(root))?.pid} already runs on ${root}; stop it first`,
    );
  }
  mkdirSync(pidFolder(root), { recursive: true });
  {
    using _ = await endingLock(root);
    await endLeftovers(pidFolder(root), say);
  }
  const guard = guardChildren(root);
  return {
    root,
    pids: pidFolder(root),
    file: (...parts) => join(root, ...parts),
    [Symbol.dispose]: () => {
      guard[Symbol.dispose]();
      owner[Symbol.dispose]();
      onClose();
    },
  };
}

/** Ends the children of an owner that was killed, unless the folder has a new one: that has ended them already. */
export async function endOrphans(root: string): Promise<void> {
  if (!existsSync(pidFolder(root))) return;
  using _ = await endingLock(root);
  if (holderOf(ownerFile(root)) === undefined) await endLeftovers(pidFolder(root), () => {});
}

/** Held while leftovers are ended, or children that a new owner has just started could be taken for some. */
const endingLock = (root: string) =>
  lock(join(root, 'ending.lock'), AbortSignal.timeout(ENDING_MS), () => {});

const ownerFile = (root: string) => join(root, 'owner.lock');
const pidFolder = (root: string) => join(root, 'pids');
