import { readAnswer } from './answer.ts';
import { exchange, type Fetch } from './exchange.ts';
import { withRetries } from './retry.ts';

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL, with a slash in front. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  headers?: Readonly<Record<string, string>>;
  /** JSON, or a form. */
  body?: string | FormData;
  signal?: AbortSignal | undefined;
  /** Milliseconds that the service may take in addition to the usual time. */
  extraMs?: number;
  /** Limit of all attempts, instead of the client's `timeoutMs`. */
  totalMs?: number;
}

export interface Answer<T> {
  body: T;
  headers: Headers;
}

/** Sends a call, with retries until the time is over, and reads its response as JSON. */
export type Send = <T>(call: Call) => Promise<Answer<T>>;

interface Settings {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  /** Limit of a call with all of its attempts. */
  timeoutMs: number;
}

/**
 * Longest time for the head of a response, and for each part of its body. After it the response
 * counts as lost.
 */
export const ATTEMPT_MS = 60_000;

/**
 * `fetch` does not report the progress of an upload. So a line of 16 KB a second counts as slow,
 * not as lost.
 */
const UPLOAD_BYTES_PER_MS = 16;

/** Larger than any answer of the service. */
const LIMIT_BYTES = 20_000_000;

export function createTransport({ baseUrl, apiKey, fetch, timeoutMs }: Settings): Send {
  let wasReached = false;
  return <T>(call: Call) => {
    const { extraMs = 0, totalMs = timeoutMs + extraMs } = call;
    const attemptMs = attemptTime(call, totalMs) + extraMs;
    const bounds = { totalMs, attemptMs, outer: call.signal, isReached: () => wasReached };
    return withRetries(bounds, async ({ signal, mayHaveRun, onProgress }): Promise<Answer<T>> => {
      const reading = { signal, onProgress, limit: LIMIT_BYTES };
      const { response, bytes } = await exchange(fetch, urlOf(baseUrl, call), initOf(call, apiKey), reading);
      wasReached = true;
      const text = new TextDecoder().decode(bytes);
      return { body: readAnswer<T>(response, text, { mayHaveRun, apiKey }), headers: response.headers };
    });
  };
}

/**
 * An upload may take half of a longer `timeoutMs`. So a longer `timeoutMs` helps on any slow line.
 */
function attemptTime({ body }: Call, totalMs: number): number {
  const photo = body instanceof FormData ? body.get('image') : null;
  if (!(photo instanceof Blob)) return ATTEMPT_MS;
  return Math.ceil(Math.max(ATTEMPT_MS + photo.size / UPLOAD_BYTES_PER_MS, totalMs / 2));
}

function initOf({ method = 'GET', headers, body }: Call, apiKey: string): Omit<RequestInit, 'signal'> {
  return {
    method,
    headers: {
      ...headers,
      'X-Api-Key': apiKey,
      ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
    },
    // Following a redirect would send the key to another host.
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  };
}

function urlOf(baseUrl: string, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}
