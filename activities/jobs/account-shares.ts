import { shareOfOne } from '../../lib/admission/limit.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import { retryAfter } from '../retry-after.ts';

const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const GROWTH = 1.5;

/** Counts the renders of each account that use or wait for upstreams, which may take as long as a task hangs. */
export interface AccountShares {
  /**
   * Must be left by disposal.
   * @param attempt of the activity, from 1: the more there were, the longer the wait until the next one
   * @throws ApplicationFailure when the account has its share of the slots: frees the slot until a later attempt
   */
  enter(accountId: string, attempt: number): Disposable;
}

/**
 * Leaves slots to other accounts. Temporal hands out tasks by account only where fairness is switched on, and even then
 * a slot is taken until its render ends.
 */
export function createAccountShares(slots: number): AccountShares {
  const share = shareOfOne(slots);
  const taken = new Map<string, number>();
  return {
    enter(accountId, attempt) {
      const count = taken.get(accountId) ?? 0;
      if (count >= share) throw waitForSlot(attempt);
      taken.set(accountId, count + 1);
      return { [Symbol.dispose]: () => leave(taken, accountId) };
    },
  };
}

function leave(taken: Map<string, number>, accountId: string): void {
  const count = (taken.get(accountId) ?? 0) - 1;
  if (count > 0) taken.set(accountId, count);
  else taken.delete(accountId);
}

function waitForSlot(attempt: number): Error {
  const waitMs = Math.min(SHORTEST_WAIT_MS * GROWTH ** (attempt - 1), LONGEST_WAIT_MS);
  return retryAfter(
    FAILURES.render_waiting,
    'The account has its share of the slots of this renderer; this job waits for its turn.',
    waitMs * (0.75 + Math.random() / 2),
  );
}
