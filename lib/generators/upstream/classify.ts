import type { ResponseHeaders } from '../../egress/egress.ts';
import { GeneratorError, type GeneratorFailure } from '../errors.ts';
import { valuesAt } from './json.ts';
import type { Quote } from './quote.ts';

export interface UpstreamResponse {
  status: number;
  /** Names in lower case. */
  headers: ResponseHeaders;
  body: Buffer;
  /** The parsed body; undefined when it is no JSON. */
  json: unknown;
  /** Makes the upstream's text fit for a message. */
  quote: Quote;
  /** Whether it is the response to a call that submits. */
  submits?: boolean;
}

/**
 * One row of the table that turns an upstream's responses into failures. Every condition given must
 * match. The first matching row counts.
 */
export interface FailureRow {
  /** Name of the row, for its test. */
  row: string;
  status?: readonly number[];
  /**
   * Path into the JSON body; see {@link valuesAt}. The whole body is not searched, because it may
   * quote the request.
   */
  at?: string;
  /** A value at the path must match. Without this, a value must exist. */
  matches?: RegExp;
  failure: (response: UpstreamResponse) => GeneratorFailure;
  /**
   * Whether the upstream may charge although it failed; `submission`: only if the submission
   * failed.
   */
  mayBeCharged?: boolean | 'submission';
}

export const refusal = (reason: 'safety' | 'no_result' | 'invalid_input') => (): GeneratorFailure => ({
  kind: 'refused',
  reason,
});
export const misconfigured = (): GeneratorFailure => ({ kind: 'misconfigured' });
export const unavailable = (): GeneratorFailure => ({ kind: 'unavailable' });
export const lost = (): GeneratorFailure => ({ kind: 'lost' });

/** Fields of a request that differ from job to job; all others are the operator's. */
export const OF_THE_JOB = /^(?!num_)(?:\w+_)?(?:images?|urls?|prompt)$/i;
/** Types of an error of FastAPI about the fields as such, whatever is in the photo. */
export const WRONG_FIELDS =
  /^(?:missing|extra_forbidden|value_error\.missing|value_error\.extra|[a-z]+_type)$/;

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;

/**
 * The upstream asks to wait. The wait is limited to 1 s at least and 5 min at most; without a
 * figure it is `otherwise`.
 */
export const askedToWait =
  (waitMs: (response: UpstreamResponse) => number | undefined, otherwise = 5000) =>
  (response: UpstreamResponse): GeneratorFailure => ({
    kind: 'unavailable',
    retryAfterMs: Math.min(Math.max(waitMs(response) ?? otherwise, MIN_RETRY_MS), MAX_RETRY_MS),
  });

/** Retry-After or retry-after-ms in milliseconds. Upstreams use only seconds, no dates. */
export function retryAfterMs({ headers }: UpstreamResponse): number | undefined {
  const ms = numberIn(headers['retry-after-ms']);
  if (ms !== undefined) return ms;
  const seconds = numberIn(headers['retry-after']);
  return seconds === undefined ? undefined : seconds * 1000;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : undefined;
}

/**
 * Rows for every upstream, after its own rows. A response that no row lists is `misconfigured`: all
 * jobs may fail, and the operator has to learn it. So an upstream's own rows must list what a
 * single photo or instruction can cause: a 400 or 422 that names the image or the prompt is a
 * refusal, unless it is about the fields as such.
 */
export const COMMON_ROWS: readonly FailureRow[] = [
  { row: 'the body is too large', status: [413], failure: refusal('invalid_input'), mayBeCharged: false },
  { row: 'the key is refused', status: [401, 403], failure: misconfigured, mayBeCharged: false },
  { row: 'the money is used up', status: [402], failure: misconfigured, mayBeCharged: false },
  {
    row: 'the rate limit is reached',
    status: [429],
    failure: askedToWait(retryAfterMs),
    mayBeCharged: false,
  },
  {
    row: 'a gateway gave up waiting',
    status: [408, 502, 504],
    failure: unavailable,
    mayBeCharged: 'submission',
  },
  { row: 'the upstream is overloaded or down', status: [409, 500, 503, 529], failure: unavailable },
  { row: 'the request, the model or the address is wrong', failure: misconfigured },
];

const NOT_JSON: FailureRow = {
  row: 'the body is no JSON, or too much of it',
  failure: unavailable,
  mayBeCharged: 'submission',
};

/**
 * The failure that a response without an image stands for. The text of the upstream goes into its
 * message. Unless the row says otherwise, a refusal may be charged, and so may a response with a
 * success status and a task that has ended.
 * @param cause what to quote in place of the body
 */
export function failureOf(
  name: string,
  rows: readonly FailureRow[],
  response: UpstreamResponse,
  { endsTask = false, cause }: { endsTask?: boolean; cause?: string } = {},
): GeneratorError {
  const { status, json, body, quote, submits = false } = response;
  const isSuccess = status >= 200 && status < 300;
  const found =
    isSuccess && json === undefined
      ? NOT_JSON
      : findRow(submits ? rows.filter(isOfSubmission) : rows, response);
  const failure = found.failure(response);
  const { row, mayBeCharged = isSuccess || endsTask || failure.kind === 'refused' } = found;
  return new GeneratorError(
    failure,
    `${name} responded ${status}: ${row}. ${quote(cause ?? startOf(body))}`,
    {
      mayBeCharged: mayBeCharged === 'submission' ? submits : mayBeCharged,
      upstreamWorks: failure.kind === 'refused' || (isSuccess && json !== undefined) || endsTask,
    },
  );
}

const startOf = (body: Buffer) => body.subarray(0, 64 * 1024).toString('utf8');

/** A submission cannot lose a task: a 404 means the model or the address. */
const isOfSubmission = ({ failure }: FailureRow) => failure !== lost;

/** The last of {@link COMMON_ROWS} matches every response. */
function findRow(rows: readonly FailureRow[], response: UpstreamResponse): FailureRow {
  return (
    [...rows, ...COMMON_ROWS].find((row) => matches(row, response)) ?? {
      row: 'unknown',
      failure: misconfigured,
    }
  );
}

function matches({ status, at, matches: pattern }: FailureRow, response: UpstreamResponse): boolean {
  if (status !== undefined && !status.includes(response.status)) return false;
  if (at === undefined) return true;
  const values = valuesAt(response.json, at);
  if (pattern === undefined) return values.length > 0;
  return values.some((value) => typeof value !== 'object' && pattern.test(String(value)));
}
