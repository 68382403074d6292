import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isExecutable, proveRuns } from '../process/command.ts';
import { lock } from '../process/lock.ts';
import { privateFolder } from '../process/private-folder.ts';
import type { Slot } from './cache.ts';
import type { Strategy, Task } from './chain.ts';

/** Creates the executable somewhere in `folder`, an empty folder that is deleted afterwards. */
export type Make = (folder: string, task: Task) => Promise<string>;

/** What a slot holds. */
export interface Content {
  isComplete(path: string): boolean;
  /** Prepares and checks what was made, before it is published. @throws Error if it is not usable */
  accept(path: string, signal: AbortSignal): Promise<unknown>;
}

/** An executable that runs with these arguments. */
export const executable = (proof?: readonly string[]): Content => ({
  isComplete: isExecutable,
  accept: (path, signal) => {
    chmodSync(path, 0o755);
    return proveRuns(path, signal, proof);
  },
});

/**
 * A strategy that fills a slot of the cache. Its content is created in a folder next to the slot and moved there by one
 * rename. Of several processes one creates it, and the others wait for it.
 */
export function cacheInto(slot: Slot, name: string, make: Make, content = executable()): Strategy {
  return {
    name,
    attempt: async (task) => {
      privateFolder(dirname(slot.folder));
      const onWait = () => task.report('waiting for another process that is obtaining it');
      using _ = await lock(`${slot.folder}.lock`, task.signal, onWait);
      if (content.isComplete(slot.binary)) return slot.binary;
      removeLeftovers(slot);
      const work = mkdtempSync(`${slot.folder}.part-`);
      try {
        const made = await make(work, task);
        await content.accept(made, task.signal);
        publish(made, work, slot);
        return slot.binary;
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    },
  };
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
