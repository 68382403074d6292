import { dirname } from 'node:path';
import { privateFolder } from '../run/private-folder.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { isExecutable } from './on-path.ts';

/** What an earlier start left in the cache folder, which is closed to others also where it was made open. */
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
