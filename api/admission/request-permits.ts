import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { type Limit, LimitError, type Permit } from '../../lib/admission/limit.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { IN_FLIGHT } from '../../lib/contract/limits.ts';
import { countdown } from '../../lib/process/countdown.ts';
import type { ApiLimits } from './limits.ts';

/** Seconds for Retry-After: about as long as the requests in flight take. */
const RETRY_AFTER = 5;

/** The permits of one request. Disposing releases all of them. Dispose when the request is done. */
export interface RequestPermits extends Disposable {
  /**
   * Waits for an amount of a limit. One time limit applies to all waits of a request together.
   * @param as the owner of the permit; `keyId` by default
   * @throws ApiError rate_limited when the limit of the owner is reached, internal_error when the
   * total is reached
   */
  take(limit: Limit, amount: number, as?: keyof Owners): Promise<Permit>;
  /**
   * Takes bytes of the account first, so that a request that waits for these holds none of the
   * total.
   */
  takeBytes(limits: Pick<ApiLimits, 'bytes' | 'bytesOf'>, amount: number): Promise<BytesPermit>;
  /** Milliseconds spent waiting so far. */
  readonly waitedMs: number;
}

export type BytesPermit = Pick<Permit, 'shrink' | 'release'>;

export interface Owners {
  keyId: string;
  accountId: string;
}

export interface PermitOptions {
  /** Milliseconds that a request may wait in total. */
  queueMs?: number;
  /** Aborts when the process shuts down, which ends all waits. */
  closing?: AbortSignal;
}

/**
 * @param response when it closes, all waits end, because the client has gone. The permits stay
 * until they are disposed of.
 */
export function createRequestPermits(
  owners: Owners,
  response: ServerResponse,
  { queueMs = IN_FLIGHT.queueMs, closing = new AbortController().signal }: PermitOptions = {},
): RequestPermits {
  const permits: Permit[] = [];
  const disconnected = new AbortController();
  let waitedMs = 0;
  let isDisposed = false;
  finished(response, () => disconnected.abort());

  async function take(limit: Limit, amount: number, owner: string, isShared: boolean): Promise<Permit> {
    const start = performance.now();
    const withinMs = queueMs - waitedMs;
    const ends = { disconnected: disconnected.signal, closing };
    const permit = await acquire(limit, { owner, amount, withinMs, isShared, ...ends });
    waitedMs += performance.now() - start;
    // The work was given up while it waited.
    if (isDisposed) permit.release();
    permits.push(permit);
    return permit;
  }

  return {
    take: (limit, amount, as = 'keyId') => take(limit, amount, owners[as], true),
    async takeBytes({ bytesOf, bytes }, amount) {
      const ofAccount = await take(bytesOf(owners.accountId), amount, owners.keyId, false);
      const both = [ofAccount, await take(bytes, amount, owners.accountId, true)];
      return {
        shrink(to) {
          for (const permit of both) permit.shrink(to);
        },
        release() {
          for (const permit of both) permit.release();
        },
      };
    },
    get waitedMs() {
      return waitedMs;
    },
    [Symbol.dispose]() {
      isDisposed = true;
      for (const permit of permits) permit.release();
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
  /**
   * Whether other accounts share the limit. If not, exhausting it is never a fault of the service.
   */
  isShared: boolean;
}

/**
 * Has its own timer because AbortSignal.any over timeouts may be garbage-collected before it fires.
 */
async function acquire(limit: Limit, acquisition: Acquisition): Promise<Permit> {
  const { owner, amount, withinMs, disconnected, closing } = acquisition;
  const controller = new AbortController();
  const stop = () => controller.abort();
  using _timeLimit = countdown(withinMs, stop);
  try {
    const permit = limit.acquire(owner, amount, controller.signal);
    // Aborts only the wait: an amount that is free is still granted, without the client and within
    // the grace period.
    for (const signal of [disconnected, closing])
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    return await permit;
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
  if (cause.obstacle === 'owner' || !isShared) return inFlightLimited(cause);
  return unavailable('too busy', cause);
}

const unavailable = (state: 'stopping' | 'too busy', cause: LimitError) =>
  new ApiError('internal_error', `The service is ${state}. Nothing was charged; retry.`, { cause });

const inFlightLimited = (cause: LimitError): ApiError =>
  new ApiError(
    'rate_limited',
    `This key or its account has too many requests in flight. Nothing was charged; retry in ${RETRY_AFTER} seconds.`,
    { cause, limit: 'in-flight', retryAfter: RETRY_AFTER },
  );
