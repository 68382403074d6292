import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isExecutable, proveRuns } from '../process/command.ts';
import { lock } from '../process/lock.ts';
import { privateFolder } from '../process/private-folder.ts';
import type { Slot } from './cache.ts';
import type { Strategy, Task } from './chain.ts';

/** Creates the executable somewhere in `folder`, an empty folder that is deleted afterwards. */
export type Make = (folder: string, task: Task) => Promise<string>;

/**
 * A strategy that fills a slot of the cache. The binary is created in a folder next to the slot and moved there by one
 * rename. Of several processes one creates it, and the others wait for it.
 */
export function cacheInto(slot: Slot, name: string, make: Make): Strategy {
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

/** Removes the work folders of killed processes. Only call it with the lock held. */
function removeLeftovers(slot: Slot): void {
  const folder = dirname(slot.folder);
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(`${basename(slot.folder)}.part-`)) {
      rmSync(join(folder, entry), { recursive: true, force: true });
    }
  }
}
