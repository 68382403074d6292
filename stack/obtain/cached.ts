import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { isExecutable } from './on-path.ts';

/** What an earlier start left in the cache folder. */
export function cached(slot: Slot): Strategy {
  return {
    name: 'cached',
    attempt: async () => {
      if (!isExecutable(slot.binary)) throw new Error(`nothing at ${slot.binary}`);
      return slot.binary;
    },
  };
}
