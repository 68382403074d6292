import { type Budget, createBudget } from '../budget.ts';
import type { Config } from '../config.ts';
import { BUDGETS } from '../contract/limits.ts';
import { type Allowance, createAllowance } from './allowance.ts';

/** Fetches of all keys at once; each holds a socket from its start, and bytes once its answer has begun. */
const ALL_FETCHES = 512;
/** Of all bytes under way. */
const ACCOUNT_PART = 1 / 4;
/** Bodies at once that are read only to be dropped: those of one client, and all. */
const CLIENT_DROPS = 16;
const ALL_DROPS = 256;
const MINUTE_MS = 60_000;

/** What bounds the work and memory that callers can cause in this process at a time. */
export interface Budgets {
  /** Bytes of bodies and fetched pictures, by key. */
  keyBytes: Budget;
  /** The same of all keys, by account: one leaves most of them to others, however many keys it has. */
  bytes: Budget;
  /** Fetches of an `image_url`, by key. */
  fetches: Budget;
  /** Bytes that were fetched and not paid for, by key. */
  unpaid: Allowance;
  /** Bodies that are read and dropped, by client address. */
  drops: Budget;
}

type Sizes = Pick<Config['api'], 'bytesInFlight' | 'unpaidBytesPerMinute'>;

export function createBudgets({ bytesInFlight, unpaidBytesPerMinute }: Sizes): Budgets {
  return {
    keyBytes: createBudget({ total: Number.POSITIVE_INFINITY, perOwner: BUDGETS.keyBytes }),
    bytes: createBudget({
      total: bytesInFlight,
      perOwner: Math.max(BUDGETS.keyBytes, bytesInFlight * ACCOUNT_PART),
    }),
    fetches: createBudget({ total: ALL_FETCHES, perOwner: BUDGETS.keyFetches }),
    unpaid: createAllowance({
      limit: unpaidBytesPerMinute,
      windowMs: MINUTE_MS,
      now: () => performance.now(),
    }),
    drops: createBudget({ total: ALL_DROPS, perOwner: CLIENT_DROPS }),
  };
}
