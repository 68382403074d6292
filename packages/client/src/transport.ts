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

/** The service answers within this time, or the response is lost. */
export const ATTEMPT_MS = 60_000;

export function createTransport({ baseUrl, apiKey, fetch, timeoutMs }: Settings): Send {
  return <T>(call: Call) => {
    const { method = 'GET', headers, body, signal: outer, extraMs = 0 } = call;
    const bounds = { totalMs: timeoutMs + extraMs, attemptMs: ATTEMPT_MS + extraMs, outer };
    return withRetries(bounds, async ({ signal, mayHaveRun }): Promise<Answer<T>> => {
      const init = {
        method,
        headers: {
          ...headers,
          'X-Api-Key': apiKey,
          ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        },
        // Following a redirect would send the key to whatever it names.
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body }),
      } as const;
      const { response, body: text } = await exchange(fetch, urlOf(baseUrl, call), init, (answer) =>
        answer.text(),
      );
      return { body: readAnswer<T>(response, text, mayHaveRun), headers: response.headers };
    });
  };
}

function urlOf(baseUrl: string, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}
