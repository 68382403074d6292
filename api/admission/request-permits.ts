import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { type Limit, LimitError, type Permit } from '../../lib/admission/limit.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { BUDGETS } from '../../lib/contract/limits.ts';
import { countdown } from '../../lib/process/countdown.ts';
import type { Budgets } from './limits.ts';

/** Seconds for Retry-After: about as long as the requests in flight take. */
const RETRY_AFTER = 5;

/**
 * The budget leases of one request. All are released once the response is sent or the connection is closed, and no
 * work needs them any more.
 */
export interface Hold {
  /**
   * Waits for an amount of a budget. All waits of a request share one time limit.
   * @param as the owner whose share is used; `keyId` by default
   * @throws ApiError rate_limited when the owner's share is used up, internal_error when the whole budget is
   */
  take(budget: Limit, amount: number, as?: keyof Owners): Promise<Permit>;
  /** Takes bytes from the account's budget first, so that a request that waits there holds none of the total. */
  takeBytes(budgets: Pick<Budgets, 'bytes' | 'bytesOf'>, amount: number): Promise<BytesLease>;
  /** Keeps the leases until the work is done, even if the connection closes first. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Milliseconds spent waiting so far. */
  readonly waitedMs: number;
}

export interface RequestHold extends Hold {
  /** Releases the leases before the response is sent, unless work needs them. Idempotent. */
  release(): void;
}

export type BytesLease = Pick<Permit, 'shrink' | 'release'>;

export interface Owners {
  keyId: string;
  accountId: string;
}

export interface HoldOptions {
  /** Milliseconds that a request may wait in total. */
  queueMs?: number;
  /** Aborts when the process shuts down, which ends all waits. */
  closing?: AbortSignal;
}

export function createHold(
  owners: Owners,
  response: ServerResponse,
  { queueMs = BUDGETS.queueMs, closing = new AbortController().signal }: HoldOptions = {},
): RequestHold {
  const leases: Permit[] = [];
  const disconnected = new AbortController();
  let users = 1;
  let isReleased = false;
  let waitedMs = 0;

  function removeUser(): void {
    users -= 1;
    if (users === 0) for (const lease of leases) lease.release();
  }
  function release(): void {
    if (!isReleased) removeUser();
    isReleased = true;
  }
  finished(response, () => {
    disconnected.abort();
    release();
  });

  async function take(
    budget: Limit,
    amount: number,
    as: keyof Owners = 'keyId',
    isShared = true,
  ): Promise<Permit> {
    const start = performance.now();
    const lease = await acquire(budget, {
      owner: owners[as],
      amount,
      withinMs: queueMs - waitedMs,
      disconnected: disconnected.signal,
      closing,
      isShared,
    });
    waitedMs += performance.now() - start;
    if (users === 0) lease.release();
    leases.push(lease);
    return lease;
  }

  return {
    take: (budget, amount, as) => take(budget, amount, as),
    async takeBytes({ bytesOf, bytes }, amount) {
      const accountLease = await take(bytesOf(owners.accountId), amount, 'keyId', false);
      const both = [accountLease, await take(bytes, amount, 'accountId')];
      return {
        shrink(to) {
          for (const lease of both) lease.shrink(to);
        },
        release() {
          for (const lease of both) lease.release();
        },
      };
    },
    async during(work) {
      users += 1;
      try {
        return await work();
      } finally {
        removeUser();
      }
    },
    release,
    get waitedMs() {
      return waitedMs;
    },
  };
}

interface Acquisition {
  owner: string;
  amount: number;
  withinMs: number;
  /** Aborts when the client has disconnected. */
  disconnected: AbortSignal;
  closing: AbortSignal;
  /** Whether other accounts share the budget. If not, exhausting it is never a fault of the service. */
  isShared: boolean;
}

/** Has its own timer because AbortSignal.any over timeouts may be garbage-collected before it fires. */
async function acquire(budget: Limit, acquisition: Acquisition): Promise<Permit> {
  const { owner, amount, withinMs, disconnected, closing } = acquisition;
  const controller = new AbortController();
  const stop = () => controller.abort();
  using _limit = countdown(withinMs, stop);
  try {
    const lease = budget.acquire(owner, amount, controller.signal);
    // Aborts only the wait: an amount that is free is still granted, without the client and within the grace period.
    for (const signal of [disconnected, closing])
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    return await lease;
  } catch (error) {
    throw error instanceof LimitError ? refusal(error, acquisition) : error;
  } finally {
    for (const signal of [disconnected, closing]) signal.removeEventListener('abort', stop);
  }
}

function refusal(cause: LimitError, { disconnected, closing, isShared }: Acquisition): ApiError {
  if (disconnected.aborted)
    return new ApiError('invalid_request', 'The connection was closed while the request was waiting.');
  if (closing.aborted) return unavailable('stopping', cause);
  if (cause.obstacle === 'owner' || !isShared) return rateLimited(cause);
  return unavailable('too busy', cause);
}

const unavailable = (state: 'stopping' | 'too busy', cause: LimitError) =>
  new ApiError('internal_error', `The service is ${state}. Nothing was charged; retry.`, { cause });

const rateLimited = (cause: LimitError): ApiError =>
  new ApiError(
    'rate_limited',
    `This key or its account has too many requests in flight. Nothing was charged; retry in ${RETRY_AFTER} seconds.`,
    { cause, limit: 'in-flight', retryAfter: RETRY_AFTER },
  );
