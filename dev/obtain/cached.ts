import { dirname } from 'node:path';
import { privateFolder } from '../process/private-folder.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { isExecutable } from './on-path.ts';

/** The binary that an earlier start cached. Makes sure that other users cannot write to the cache folder. */
export function cached(slot: Slot): Strategy {
  return {
    name: 'cached',
    attempt: async () => {
      if (!isExecutable(slot.binary)) throw new Error(`nothing at ${slot.binary}`);
      privateFolder(dirname(slot.folder));
      return slot.binary;
    },
  };
}
