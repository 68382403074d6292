import { setMaxListeners } from 'node:events';
import { createLimit, type Limit, type LimitOptions } from '../../lib/admission/limit.ts';
import { BUDGETS } from '../../lib/contract/limits.ts';
import type { Config } from '../../lib/process/config/config.ts';
import { createUnpaid, type Unpaid } from './unpaid-fetches.ts';

/** Concurrent fetches of all keys. Each holds a socket from its start, and bytes once its response has begun. */
const ALL_FETCHES = 512;
/** One account's share of all bytes in flight, unless that is too little for two keys. */
const ACCOUNT_SHARE = 1 / 4;
/** Concurrent acceptances of all accounts: as many as a worker can run. Waiting here does not use up their deadline. */
const ALL_ACCEPTANCES = 200;
/** Number of account budgets above which unused ones are removed. */
const MAX_IDLE_BUDGETS = 1000;
/** Bodies read and discarded at the same time: of one client, and of all. */
const CLIENT_DROPS = 16;
const ALL_DROPS = 256;

/** Bounds on the work and memory that callers can cause in this process. */
export interface Budgets {
  /** Bytes of bodies and fetched images of one account. Owners: its keys. */
  bytesOf(accountId: string): Limit;
  /** Number of requests that wait for {@link bytesOf} their account. */
  waitingForAccounts(): number;
  /** Bytes of bodies and fetched images of all accounts. Owners: accounts, so more keys do not mean a larger share. */
  bytes: Limit;
  /** Acceptances. Owners: accounts. */
  acceptances: Limit;
  /** Fetches of an `image_url`. Owners: keys. */
  fetches: Limit;
  /** Fetches for requests that are not charged. */
  unpaid: Unpaid;
  /** Bodies that are read and discarded. Owners: client addresses. */
  drops: Limit;
  /** Aborts when {@link close} is called. */
  closing: AbortSignal;
  /** For a server that shuts down: no request waits from now on, so that none is accepted after the grace period. */
  close(): void;
}

type Sizes = Pick<Config['api'], 'bytesInFlight' | 'unpaidBytesPerMinute'>;

/** The bytes in flight of one account. */
export function accountBytesOf(bytesInFlight: number): number {
  const { keyBytes } = BUDGETS;
  // Enough for two keys, if that leaves half to other accounts.
  const twoKeys = Math.min(2 * keyBytes, bytesInFlight / 2);
  return Math.max(keyBytes, twoKeys, bytesInFlight * ACCOUNT_SHARE);
}

export function createBudgets({ bytesInFlight, unpaidBytesPerMinute }: Sizes): Budgets {
  const { keyBytes } = BUDGETS;
  const accountBytes = accountBytesOf(bytesInFlight);
  const closing = new AbortController();
  // One per waiting request.
  setMaxListeners(0, closing.signal);
  const accounts = budgetPerName({ total: accountBytes, perOwner: keyBytes });
  return {
    bytesOf: accounts.of,
    waitingForAccounts: accounts.waiting,
    bytes: createLimit({ total: bytesInFlight, perOwner: accountBytes }),
    acceptances: createLimit({ total: ALL_ACCEPTANCES, perOwner: BUDGETS.accountAcceptances }),
    fetches: createLimit({ total: ALL_FETCHES, perOwner: BUDGETS.keyFetches }),
    unpaid: createUnpaid(unpaidBytesPerMinute),
    drops: createLimit({ total: ALL_DROPS, perOwner: CLIENT_DROPS }),
    closing: closing.signal,
    close: () => closing.abort(),
  };
}

/** Budgets by name, each created on first use. */
function budgetPerName(limits: LimitOptions) {
  const budgets = new Map<string, Limit>();
  let pruneAt = MAX_IDLE_BUDGETS;
  return {
    of(name: string): Limit {
      const budget = budgets.get(name) ?? createLimit(limits);
      if (budgets.size >= pruneAt) {
        for (const [other, { held, waiting }] of budgets) if (held + waiting === 0) budgets.delete(other);
        pruneAt = Math.max(MAX_IDLE_BUDGETS, 2 * budgets.size);
      }
      budgets.set(name, budget);
      return budget;
    },
    waiting: (): number => [...budgets.values()].reduce((sum, { waiting }) => sum + waiting, 0),
  };
}
