import { limitExceeded } from '../../lib/contract/api-errors.ts';
import { type LimitName, UNPAID } from '../../lib/contract/limits.ts';
import { type ByteWindow, type CountedBytes, createByteWindow } from './byte-window.ts';

const MB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** The fetch of an `image_url` for one request. Disposed of when the request has ended. */
export interface UnpaidFetch extends Disposable {
  /**
   * @throws ApiError rate_limited, at once: bytes count for a minute, which is longer than a
   * request may wait
   */
  check(): void;
  /**
   * Must be called before each request, that of each redirect included.
   * @throws ApiError rate_limited
   */
  request(url: URL): void;
  /** Must be called before the body is read. @throws ApiError rate_limited */
  expect(bytes: number): void;
  /** Must be called when the body has been read, or its read has failed. */
  received(bytes: number): void;
  /** The job is charged: none of these bytes count. */
  onCharged(): void;
}

/** Limits fetches that charge nothing. */
export interface UnpaidFetches {
  begin(accountId: string, isDryRun: boolean): UnpaidFetch;
}

/** Bytes per minute. */
export const unpaidLimits = (bytesPerMinute: number) => ({
  account: bytesPerMinute,
  dryRuns: bytesPerMinute * UNPAID.dryRunShare,
  host: bytesPerMinute * UNPAID.accountsPerHost,
});

/**
 * A dry run is never charged. It counts its whole body before it reads the body, so many dry runs
 * at once cannot exceed their limit. Any other fetch counts once its request has
 * ended without a charge. Until then it may still be paid for, and the limit of fetches applies to
 * it. So images that are charged never count here, even if all of them lie on one host.
 */
export function createUnpaidFetches(bytesPerMinute: number, now = () => performance.now()): UnpaidFetches {
  const limits = unpaidLimits(bytesPerMinute);
  const perMinute = (limit: number) => createByteWindow({ limit, windowMs: MINUTE_MS, now });
  const windows = {
    accounts: perMinute(limits.account),
    dryRuns: perMinute(limits.dryRuns),
    hosts: perMinute(limits.host),
  };
  return { begin: (accountId, isDryRun) => beginFetch(windows, accountId, isDryRun) };
}

type Windows = Record<'accounts' | 'dryRuns' | 'hosts', ByteWindow>;

function beginFetch(
  { accounts, dryRuns, hosts }: Windows,
  accountId: string,
  isDryRun: boolean,
): UnpaidFetch {
  // Otherwise a few accounts could use up the limit of a host on which the images of others lie.
  const isBlameless = !isDryRun && accounts.counted(accountId) === 0;
  const own: CountedBytes = { amount: 0 };
  let visit: { host: string; bytes: CountedBytes } | undefined;
  let bodyBytes = 0;
  let uncounted: (() => void)[] = [];

  function check(): void {
    refuse('unpaid-bytes', accounts, accountId, own);
    if (isDryRun) refuse('dry-run-bytes', dryRuns, accountId, own);
    if (visit !== undefined && !isBlameless) refuse('host-bytes', hosts, visit.host, visit.bytes);
  }
  function count(window: ByteWindow, key: string, bytes: CountedBytes): void {
    if (isDryRun) window.count(key, bytes);
    else uncounted.push(() => window.count(key, bytes));
  }
  function add(bytes: number): void {
    own.amount += bytes;
    if (visit !== undefined) visit.bytes.amount += bytes;
  }
  function setBody(bytes: number): void {
    add(bytes - bodyBytes);
    bodyBytes = bytes;
  }

  return {
    check,
    request(url) {
      const isFirst = visit === undefined;
      visit = { host: hostOf(url), bytes: { amount: 0 } };
      check();
      if (isFirst) count(accounts, accountId, own);
      if (isFirst && isDryRun) count(dryRuns, accountId, own);
      count(hosts, visit.host, visit.bytes);
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

function refuse(limit: keyof typeof REASONS, window: ByteWindow, key: string, except: CountedBytes): void {
  const waitMs = window.wait(key, except);
  if (waitMs === 0) return;
  throw limitExceeded(limit, REASONS[limit](Math.ceil(window.limit / MB)), Math.ceil(waitMs / 1000));
}

/**
 * One name for all spellings. WHATWG URL has normalised case, IDN and IP literals; ports belong to
 * the same host.
 */
const hostOf = ({ hostname }: URL) => hostname.replace(/\.$/, '');
