import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { holderOf, type Lock, tryLock } from './lock.ts';
import { endLeftovers } from './pid-file.ts';
import { privateFolder } from './private-folder.ts';

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
  await endLeftovers(pidFolder(root), say);
  return {
    root,
    pids: pidFolder(root),
    file: (...parts) => join(root, ...parts),
    [Symbol.dispose]: () => {
      owner[Symbol.dispose]();
      onClose();
    },
  };
}

const ownerFile = (root: string) => join(root, 'owner.lock');
const pidFolder = (root: string) => join(root, 'pids');
