import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entryPoint } from '../stack/project.ts';
import { holderOf, type Lock, lock, tryLock } from './lock.ts';
import { endLeftovers } from './pid-file.ts';
import { privateFolder } from './private-folder.ts';

/** Far longer than leftovers need. A process in uninterruptible sleep cannot be killed. */
const ENDING_MS = 30_000;

/** Another process is running servers on this folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** A folder locked by this process and readable by this user only; all paths are absolute. */
export type DataFolder = Disposable & {
  root: string;
  pids: string;
  file: (...parts: string[]) => string;
};

type Say = (line: string) => void;

/** Locks a folder and keeps its data. @throws {FolderInUseError} */
export async function openDataFolder(path: string, say: Say): Promise<DataFolder> {
  return acquire(resolve(path), say, () => {});
}

/** Creates a temporary folder below `path`, and deletes the folders of killed processes. */
export async function openTemporaryFolder(path: string, say: Say): Promise<DataFolder> {
  privateFolder(path);
  for (const entry of readdirSync(path)) {
    const old = resolve(path, entry);
    if (!entry.startsWith('run-') || !existsSync(ownerFile(old)) || holderOf(ownerFile(old))) continue;
    await endLeftovers(pidFolder(old), say);
    rmSync(old, { recursive: true, force: true });
  }
  const root = mkdtempSync(join(resolve(path), 'run-'));
  return acquire(root, say, () => rmSync(root, { recursive: true, force: true }));
}

async function acquire(root: string, say: Say, onClose: () => void): Promise<DataFolder> {
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

/**
 * Starts a helper that stops the children on a data folder after this process has ended in any way,
 * SIGKILL included. Disposing stops the helper.
 */
function guardChildren(root: string): Disposable {
  const { command, args, cwd } = entryPoint('dev/process/after-kill', [root]);
  // A shell waits, because it takes hardly any memory. Its stdin is closed when this process ends.
  const waiting = ['-c', 'read -r _; exec "$@"', 'sh', command, ...args];
  const guard = spawn('sh', waiting, { cwd, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell, the next start on the folder stops the children.
  guard.once('error', () => {});
  guard.unref();
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') };
}

/**
 * Stops the children of a killed owner, unless the folder has a new owner, which has already
 * stopped them.
 */
export async function endOrphans(root: string): Promise<void> {
  if (!existsSync(pidFolder(root))) return;
  using _ = await endingLock(root);
  if (holderOf(ownerFile(root)) === undefined) await endLeftovers(pidFolder(root), () => {});
}

/** Held while leftovers are stopped, so that no child of a new owner is stopped as well. */
const endingLock = (root: string) =>
  lock(join(root, 'ending.lock'), AbortSignal.timeout(ENDING_MS), () => {});

const ownerFile = (root: string) => join(root, 'owner.lock');
const pidFolder = (root: string) => join(root, 'pids');
