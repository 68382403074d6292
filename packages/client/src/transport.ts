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
  /** How much longer than usual the service may take for a response. */
  extraMs?: number;
  /** For all attempts, in place of the client's `timeoutMs`. */
  totalMs?: number;
}

export interface Answer<T> {
  body: T;
  headers: Headers;
}

/** Sends a call and reads its response as JSON; what can be retried is, until the time is over. */
export type Send = <T>(call: Call) => Promise<Answer<T>>;

interface Settings {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  /** For a call with all of its attempts. */
  timeoutMs: number;
}

/** The service answers within this time, and sends the next part of a response, or the response is lost. */
export const ATTEMPT_MS = 60_000;

/** `fetch` tells nothing of the progress of an upload: a line is taken for slow, not lost, down to 16 KB a second. */
const UPLOAD_BYTES_PER_MS = 16;

/** More than any answer has. */
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

/** Of a longer `timeoutMs` an upload has half, so that it helps however slow the line is. */
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
    // Following a redirect would send the key to whatever it names.
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
