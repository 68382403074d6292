import { rateLimited } from '../../lib/contract/api-errors.ts';
import { type LimitName, UNPAID } from '../../lib/contract/limits.ts';
import { type Allowance, createAllowance, type Spending } from './byte-window.ts';

const MB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** The fetch of an `image_url` for one request. When it is disposed of, the request has ended. */
export interface UnpaidFetch extends Disposable {
  /** @throws ApiError rate_limited, at once: bytes count for a minute, which is longer than a request may wait */
  check(): void;
  /** To be called before each request, that of each redirect included. @throws ApiError rate_limited */
  request(url: URL): void;
  /** To be called before the body is read. @throws ApiError rate_limited */
  expect(bytes: number): void;
  /** To be called when the body has been read, or was given up. */
  received(bytes: number): void;
  /** The job is charged: nothing of this counts. */
  onCharged(): void;
}

/** Bounds on fetches that charge nothing. */
export interface Unpaid {
  begin(accountId: string, isDryRun: boolean): UnpaidFetch;
}

/** Bytes per minute. */
export const unpaidLimits = (bytesPerMinute: number) => ({
  account: bytesPerMinute,
  dryRuns: bytesPerMinute * UNPAID.dryRunShare,
  host: bytesPerMinute * UNPAID.accountsPerHost,
});

/**
 * A dry run is never charged, so it counts from its start, with its whole body before that is read: many at once cannot
 * exceed their share. Any other fetch counts once its request has ended without a charge. What is in flight may still
 * be paid for, and has budgets of its own. So images that are charged use up no allowance, even if all lie on one host.
 */
export function createUnpaid(bytesPerMinute: number, now = () => performance.now()): Unpaid {
  const limits = unpaidLimits(bytesPerMinute);
  const perMinute = (limit: number) => createAllowance({ limit, windowMs: MINUTE_MS, now });
  const allowances = {
    accounts: perMinute(limits.account),
    dryRuns: perMinute(limits.dryRuns),
    hosts: perMinute(limits.host),
  };
  return { begin: (accountId, isDryRun) => beginFetch(allowances, accountId, isDryRun) };
}

type Allowances = Record<'accounts' | 'dryRuns' | 'hosts', Allowance>;

function beginFetch(
  { accounts, dryRuns, hosts }: Allowances,
  accountId: string,
  isDryRun: boolean,
): UnpaidFetch {
  // Otherwise a few accounts could use up the allowance of a host on which the images of others lie.
  const isBlameless = !isDryRun && accounts.spent(accountId) === 0;
  const own: Spending = { amount: 0 };
  let visit: { host: string; spending: Spending } | undefined;
  let bodyBytes = 0;
  let uncounted: (() => void)[] = [];

  function check(): void {
    refuse('unpaid-bytes', accounts, accountId, own);
    if (isDryRun) refuse('dry-run-bytes', dryRuns, accountId, own);
    if (visit !== undefined && !isBlameless) refuse('host-bytes', hosts, visit.host, visit.spending);
  }
  function count(to: Allowance, key: string, spending: Spending): void {
    if (isDryRun) to.count(key, spending);
    else uncounted.push(() => to.count(key, spending));
  }
  function add(bytes: number): void {
    own.amount += bytes;
    if (visit !== undefined) visit.spending.amount += bytes;
  }
  function setBody(bytes: number): void {
    add(bytes - bodyBytes);
    bodyBytes = bytes;
  }

  return {
    check,
    request(url) {
      const isFirst = visit === undefined;
      visit = { host: hostOf(url), spending: { amount: 0 } };
      check();
      if (isFirst) count(accounts, accountId, own);
      if (isFirst && isDryRun) count(dryRuns, accountId, own);
      count(hosts, visit.host, visit.spending);
      add(UNPAID.requestBytes);
    },
    expect(bytes) {
      if (isDryRun) check();
      setBody(bytes);
    },
    received: setBody,
    onCharged() {
      uncounted = [];
    },
    [Symbol.dispose]() {
      for (const countNow of uncounted) countNow();
      uncounted = [];
    },
  };
}

const REASONS = {
  'unpaid-bytes': (mb: number) =>
    `This account has fetched ${mb} MB in a minute by image_url for requests that were not charged.`,
  'dry-run-bytes': (mb: number) =>
    `This account has fetched ${mb} MB in a minute by image_url for dry runs, which are not charged.`,
  'host-bytes': (mb: number) =>
    `Requests that were not charged have fetched ${mb} MB in a minute from the host of this image_url.`,
} satisfies Partial<Record<LimitName, (mb: number) => string>>;

function refuse(limit: keyof typeof REASONS, allowance: Allowance, key: string, except: Spending): void {
  const waitMs = allowance.wait(key, except);
  if (waitMs === 0) return;
  throw rateLimited(limit, REASONS[limit](Math.ceil(allowance.limit / MB)), Math.ceil(waitMs / 1000));
}

/** One name for all spellings. WHATWG URL has normalised case, IDN and IP literals; ports belong to the same host. */
const hostOf = ({ hostname }: URL) => hostname.replace(/\.$/, '');
