import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { type Budget, BudgetError, type Lease } from '../budget.ts';
import { ApiError } from '../contract/errors.ts';
import { BUDGETS } from '../contract/limits.ts';
import type { Budgets } from './budgets.ts';

/** What a refused client is told to wait: about as long as what is under way takes to get done. */
const RETRY_AFTER = 5;

/**
 * What one request holds of the budgets. All of it is given back once its answer is out, or its connection gone, and no
 * work goes on with it.
 */
export interface Hold {
  /**
   * Waits for its turn, as long as is left of the time that a request may wait in all.
   * @param as whose share it is of: the key's, unless told
   * @throws ApiError rate_limited when its owner has too much under way, internal_error when all owners have
   */
  take(budget: Budget, amount: number, as?: keyof Owners): Promise<Lease>;
  /** The same for bytes, of the account's share first: what waits for that holds none of the bytes of all. */
  takeBytes(budgets: Pick<Budgets, 'bytes' | 'bytesOf'>, amount: number): Promise<BytesLease>;
  /** Keeps everything until the work is done, even when the connection goes before. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Milliseconds spent waiting so far. */
  readonly waitedMs: number;
}

export type BytesLease = Pick<Lease, 'shrink' | 'release'>;

export interface Owners {
  keyId: string;
  accountId: string;
}

export interface HoldOptions {
  /** Milliseconds that a request may wait in all. */
  queueMs?: number;
  /** Aborts when the process stops: nobody waits any longer then. */
  closing?: AbortSignal;
}

export function createHold(
  owners: Owners,
  response: ServerResponse,
  { queueMs = BUDGETS.queueMs, closing = new AbortController().signal }: HoldOptions = {},
): Hold {
  const leases: Lease[] = [];
  const gone = new AbortController();
  let reasons = 1;
  let waitedMs = 0;

  function drop(): void {
    reasons -= 1;
    if (reasons === 0) for (const lease of leases) lease.release();
  }
  finished(response, () => {
    gone.abort();
    drop();
  });

  async function take(
    budget: Budget,
    amount: number,
    as: keyof Owners = 'keyId',
    isShared = true,
  ): Promise<Lease> {
    const start = performance.now();
    const withinMs = queueMs - waitedMs;
    const turn = { owner: owners[as], amount, withinMs, gone: gone.signal, closing, isShared };
    const lease = await takeTurn(budget, turn);
    waitedMs += performance.now() - start;
    if (reasons === 0) lease.release();
    leases.push(lease);
    return lease;
  }

  return {
    take: (budget, amount, as) => take(budget, amount, as),
    async takeBytes({ bytesOf, bytes }, amount) {
      const own = await take(bytesOf(owners.accountId), amount, 'keyId', false);
      const both = [own, await take(bytes, amount, 'accountId')];
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
      reasons += 1;
      try {
        return await work();
      } finally {
        drop();
      }
    },
    get waitedMs() {
      return waitedMs;
    },
  };
}

interface Turn {
  owner: string;
  amount: number;
  withinMs: number;
  /** Aborts when nobody is there any more to be answered. */
  gone: AbortSignal;
  closing: AbortSignal;
  /** Whether others than the account's own keys have a part of the budget. */
  isShared: boolean;
}

/** Own timer and controller: AbortSignal.any over time-outs may be collected before it fires. */
async function takeTurn(budget: Budget, turn: Turn): Promise<Lease> {
  const { owner, amount, withinMs, gone, closing } = turn;
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, Math.max(0, withinMs));
  try {
    const granted = budget.acquire(owner, amount, controller.signal);
    // What is free is granted all the same: the work goes on without the client, and within the grace of a process.
    for (const signal of [gone, closing])
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    return await granted;
  } catch (error) {
    throw error instanceof BudgetError ? refusal(error, turn) : error;
  } finally {
    clearTimeout(timer);
    for (const signal of [gone, closing]) signal.removeEventListener('abort', stop);
  }
}

function refusal(cause: BudgetError, { gone, closing, isShared }: Turn): ApiError {
  if (gone.aborted) return new ApiError('invalid_request', 'The connection was closed before its turn.');
  if (closing.aborted)
    return new ApiError('internal_error', 'The service is stopping. Nothing was charged; retry.', { cause });
  if (cause.obstacle === 'owner' || !isShared) return tooMuch(cause);
  return new ApiError('internal_error', 'The service is too busy. Nothing was charged; retry.', { cause });
}

const tooMuch = (cause: BudgetError): ApiError =>
  new ApiError(
    'rate_limited',
    `The key or its account has too much under way at once. Nothing was charged; retry in ${RETRY_AFTER} seconds.`,
    { cause, retryAfter: RETRY_AFTER },
  );
