import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { proveRuns } from '../run/command.ts';
import { lock } from '../run/lock.ts';
import { privateFolder } from '../run/private-folder.ts';
import type { Slot } from './cache.ts';
import type { Strategy, Task } from './chain.ts';
import { isExecutable } from './on-path.ts';

/** Makes the executable somewhere inside `folder`, which is empty and thrown away afterwards. */
export type Make = (folder: string, task: Task) => Promise<string>;

/**
 * A strategy that fills a slot of the cache. Everything is made in a folder beside it and moved in by one
 * rename; of several processes one makes it and the others wait for its result.
 */
export function kept(slot: Slot, name: string, make: Make): Strategy {
  return {
    name,
    attempt: async (task) => {
      privateFolder(dirname(slot.folder));
      const onWait = () => task.report('waiting for another process that is obtaining it');
      using _ = await lock(`${slot.folder}.lock`, task.signal, onWait);
      if (isExecutable(slot.binary)) return slot.binary;
      removeLeftovers(slot);
      const work = mkdtempSync(`${slot.folder}.part-`);
      try {
        publish(await proveRuns(executable(await make(work, task)), task.signal), work, slot);
        return slot.binary;
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    },
  };
}

function executable(path: string): string {
  chmodSync(path, 0o755);
  return path;
}

function publish(made: string, work: string, slot: Slot): void {
  const ready = join(work, 'ready');
  mkdirSync(ready);
  renameSync(made, join(ready, slot.name));
  rmSync(slot.folder, { recursive: true, force: true });
  renameSync(ready, slot.folder);
}

/** Parts of a process that was killed; the lock is ours, so nobody is working on them. */
function removeLeftovers(slot: Slot): void {
  const folder = dirname(slot.folder);
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(`${basename(slot.folder)}.part-`)) {
      rmSync(join(folder, entry), { recursive: true, force: true });
    }
  }
}
