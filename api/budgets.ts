import { setMaxListeners } from 'node:events';
import { type Budget, type BudgetLimits, createBudget } from '../budget.ts';
import type { Config } from '../config.ts';
import { BUDGETS } from '../contract/limits.ts';
import { type Allowance, createAllowance } from './allowance.ts';

/** Fetches of all keys at once; each holds a socket from its start, and bytes once its answer has begun. */
const ALL_FETCHES = 512;
/** Of all bytes under way, where that is enough for two keys. */
const ACCOUNT_PART = 1 / 4;
/** Acceptances of one account under way; each holds slots of a worker until MongoDB has answered. */
const ACCOUNT_ACCEPTANCES = 50;
/** And of all: what a worker can have at once. Others wait here, where that takes nothing of their time to be accepted. */
const ALL_ACCEPTANCES = 200;
/** Accounts whose budgets are kept before those without use are looked for. */
const KEPT_ACCOUNTS = 1000;
/** Bodies at once that are read only to be dropped: those of one client, and all. */
const CLIENT_DROPS = 16;
const ALL_DROPS = 256;
const MINUTE_MS = 60_000;

/** What bounds the work and memory that callers can cause in this process at a time. */
export interface Budgets {
  /** Bytes of bodies and fetched pictures of one account, by key: its keys take turns. */
  bytesOf(accountId: string): Budget;
  /** The same of all, by account: one leaves most of them to others, however many keys it has. */
  bytes: Budget;
  /** Jobs that wait for their acceptance, by account. */
  acceptances: Budget;
  /** Fetches of an `image_url`, by key. */
  fetches: Budget;
  /** Bytes that were fetched and not paid for, by key. */
  unpaid: Allowance;
  /** Bodies that are read and dropped, by client address. */
  drops: Budget;
  /** Aborts once {@link close} was called. */
  closing: AbortSignal;
  /** For a server that stops: from now on no request waits for its turn, so that none is accepted after the grace. */
  close(): void;
}

type Sizes = Pick<Config['api'], 'bytesInFlight' | 'unpaidBytesPerMinute'>;

export function createBudgets({ bytesInFlight, unpaidBytesPerMinute }: Sizes): Budgets {
  const { keyBytes } = BUDGETS;
  // Room for two keys, where that leaves half to others.
  const twoKeys = Math.min(2 * keyBytes, bytesInFlight / 2);
  const ofAccount = Math.max(keyBytes, twoKeys, bytesInFlight * ACCOUNT_PART);
  const closing = new AbortController();
  // One for each request that waits.
  setMaxListeners(0, closing.signal);
  return {
    bytesOf: eachOwn({ total: ofAccount, perOwner: keyBytes }),
    bytes: createBudget({ total: bytesInFlight, perOwner: ofAccount }),
    acceptances: createBudget({ total: ALL_ACCEPTANCES, perOwner: ACCOUNT_ACCEPTANCES }),
    fetches: createBudget({ total: ALL_FETCHES, perOwner: BUDGETS.keyFetches }),
    unpaid: createAllowance({
      limit: unpaidBytesPerMinute,
      windowMs: MINUTE_MS,
      now: () => performance.now(),
    }),
    drops: createBudget({ total: ALL_DROPS, perOwner: CLIENT_DROPS }),
    closing: closing.signal,
    close: () => closing.abort(),
  };
}

/** A budget for each name, made when it is first asked for. */
function eachOwn(limits: BudgetLimits): (name: string) => Budget {
  const budgets = new Map<string, Budget>();
  let sweepAt = KEPT_ACCOUNTS;
  return (name) => {
    const budget = budgets.get(name) ?? createBudget(limits);
    if (budgets.size >= sweepAt) {
      for (const [other, { held, waiting }] of budgets) if (held + waiting === 0) budgets.delete(other);
      sweepAt = Math.max(KEPT_ACCOUNTS, 2 * budgets.size);
    }
    budgets.set(name, budget);
    return budget;
  };
}
