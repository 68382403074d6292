import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isExecutable } from '../process/command.ts';
import { lock } from '../process/lock.ts';
import { privateFolder } from '../process/private-folder.ts';
import type { Strategy, Task } from './chain.ts';
import { proveProgram, type Wanted } from './on-path.ts';

/**
 * The user's cache folder for this project: below XDG_CACHE_HOME, else where the platform has
 * caches.
 */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(env.XDG_CACHE_HOME || usual, 'image-job-api');
}

/** Where the cache has one version of a program. `folder` is complete or does not exist. */
export type Slot = { name: string; folder: string; binary: string };

export function slot(cache: string, name: string, version: string): Slot {
  const folder = join(cache, `${name}-${version}`);
  return { name, folder, binary: join(folder, name) };
}

/** Creates a file or folder somewhere in `folder`, an empty folder that is deleted afterwards. */
export type Make = (folder: string, task: Task) => Promise<string>;

/** What a slot holds. */
export interface Content {
  isComplete(path: string): boolean;
  /** Prepares and checks a new file, before it is published. @throws Error if it is not usable */
  accept(path: string, signal: AbortSignal): Promise<unknown>;
}

/** A program that runs, and is of the wanted release if one is named. */
export const executable = (wanted: Wanted = {}): Content => ({
  isComplete: isExecutable,
  accept: (path, signal) => {
    chmodSync(path, 0o755);
    return proveProgram(path, wanted, signal);
  },
});

/**
 * Takes what an earlier start cached. Makes sure that other users cannot write to the cache folder.
 */
export function cached(slot: Slot, { isComplete }: Content = executable()): Strategy {
  return {
    name: 'cached',
    attempt: async () => {
      if (!isComplete(slot.binary)) throw new Error(`nothing at ${slot.binary}`);
      privateFolder(dirname(slot.folder));
      return slot.binary;
    },
  };
}

/**
 * A strategy that fills a slot of the cache. It creates the content in a folder next to the slot,
 * and moves it there by one rename. Of several processes one creates it, and the others wait for
 * it.
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
