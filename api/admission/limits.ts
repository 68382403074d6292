import { setMaxListeners } from 'node:events';
import { createLimit, type Limit, type LimitOptions } from '../../lib/admission/limit.ts';
import { IN_FLIGHT } from '../../lib/contract/limits.ts';
import type { Config } from '../../lib/process/config/config.ts';
import { createUnpaidFetches, type UnpaidFetches } from './unpaid-fetches.ts';

/**
 * Concurrent fetches of all keys. Each holds a socket from its start, and bytes once its response
 * has begun.
 */
const ALL_FETCHES = 512;
/**
 * The part of all bytes in flight that one account may have, unless that is too little for two
 * keys.
 */
const ACCOUNT_PART = 1 / 4;
/**
 * Concurrent acceptances of all accounts: as many as a worker can run. Waiting here does not use up
 * their deadline.
 */
const ALL_ACCEPTANCES = 200;
/** Number of account limits above which unused ones are removed. */
const MAX_IDLE_ACCOUNTS = 1000;
/** Bodies read and discarded at the same time: of one client, and of all. */
const CLIENT_UNREAD_BODIES = 16;
const ALL_UNREAD_BODIES = 256;
/** Open connections. Each holds at most a request head and 64 KB of unread body. */
export const MAX_CONNECTIONS = 8000;
const CLIENT_CONNECTIONS = 1000;

/** Limits on the work and memory that callers can cause in this process. */
export interface ApiLimits {
  /**
   * Bytes of bodies and fetched images of all accounts. Owners: accounts, so that more keys do not
   * get more bytes.
   */
  bytes: Limit;
  /** Bytes of one account. Owners: its keys. */
  bytesOf(accountId: string): Limit;
  /** Sum of {@link bytesOf} over all accounts, for metrics. */
  accountBytes: Readonly<Pick<Limit, 'held' | 'waiting'>>;
  /** Acceptances. Owners: accounts. */
  acceptances: Limit;
  /** Fetches of an `image_url`. Owners: keys. */
  fetches: Limit;
  /** Fetches for requests that are not charged, per time. */
  unpaidFetches: UnpaidFetches;
  /** Bodies that are read and discarded. Owners: client addresses. */
  unreadBodies: Limit;
  /** Open connections, unless the service is behind a proxy. Owners: client addresses. */
  connections: Limit;
  /** Aborts when {@link close} is called. */
  closing: AbortSignal;
  /**
   * For a server that shuts down. Ends all waits for permits, so that no job is accepted after the
   * grace period.
   */
  close(): void;
}

/** The bytes in flight of one account. */
export function accountBytesOf(bytesInFlight: number): number {
  const { keyBytes } = IN_FLIGHT;
  // Enough for two keys, if that leaves half to other accounts.
  const twoKeys = Math.min(2 * keyBytes, bytesInFlight / 2);
  return Math.max(keyBytes, twoKeys, bytesInFlight * ACCOUNT_PART);
}

type Sizes = Pick<Config['api'], 'bytesInFlight' | 'unpaidBytesPerMinute'>;

export function createApiLimits({ bytesInFlight, unpaidBytesPerMinute }: Sizes): ApiLimits {
  const accountBytes = accountBytesOf(bytesInFlight);
  const closing = new AbortController();
  // One per waiting request.
  setMaxListeners(0, closing.signal);
  const accounts = createLimitPerAccount({ total: accountBytes, perOwner: IN_FLIGHT.keyBytes });
  return {
    bytes: createLimit({ total: bytesInFlight, perOwner: accountBytes }),
    bytesOf: accounts.of,
    accountBytes: accounts,
    acceptances: createLimit({ total: ALL_ACCEPTANCES, perOwner: IN_FLIGHT.accountAcceptances }),
    fetches: createLimit({ total: ALL_FETCHES, perOwner: IN_FLIGHT.keyFetches }),
    unpaidFetches: createUnpaidFetches(unpaidBytesPerMinute),
    unreadBodies: createLimit({ total: ALL_UNREAD_BODIES, perOwner: CLIENT_UNREAD_BODIES }),
    connections: createLimit({ total: MAX_CONNECTIONS, perOwner: CLIENT_CONNECTIONS }),
    closing: closing.signal,
    close: () => closing.abort(),
  };
}

/** A limit for each account, created on first use. */
function createLimitPerAccount(options: LimitOptions) {
  const limits = new Map<string, Limit>();
  let pruneAt = MAX_IDLE_ACCOUNTS;
  const sumOf = (amount: 'held' | 'waiting') =>
    [...limits.values()].reduce((sum, limit) => sum + limit[amount], 0);
  return {
    of(accountId: string): Limit {
      const limit = limits.get(accountId) ?? createLimit(options);
      if (limits.size >= pruneAt) {
        for (const [other, { held, waiting }] of limits) if (held + waiting === 0) limits.delete(other);
        pruneAt = Math.max(MAX_IDLE_ACCOUNTS, 2 * limits.size);
      }
      limits.set(accountId, limit);
      return limit;
    },
    get held() {
      return sumOf('held');
    },
    get waiting() {
      return sumOf('waiting');
    },
  };
}
