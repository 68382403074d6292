import type { Client, Dispatcher } from 'undici';
import { untilAborted } from './deadline.ts';
import { EgressError } from './error.ts';
import type { EgressResponse, ResponseHeaders } from './response.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Interim (1xx) responses accepted for one request; RFC 9110, 15.2 sets no limit. */
const MAX_INTERIM_RESPONSES = 20;

/** Headers of every request. */
export const REQUEST_HEADERS = { 'user-agent': 'image-job-api/1', 'accept-encoding': 'identity' };

/**
 * undici's own timeouts are off: they measure idle time, and the deadline bounds the whole
 * exchange.
 */
export const HTTP_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
} satisfies Client.Options;

type Outgoing = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

/**
 * Sends a request and waits for the response head. undici observes the signal only once connected,
 * hence the race.
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  url: URL,
  request: Outgoing,
): Promise<EgressResponse> {
  const target = { origin: url.origin, path: `${url.pathname}${url.search}` };
  let interim = 0;
  const onInfo = () => {
    interim += 1;
    if (interim > MAX_INTERIM_RESPONSES)
      throw new EgressError('protocol', 'The server sent too many interim responses.');
  };
  const response = await untilAborted(dispatcher.request({ ...target, ...request, onInfo }), request.signal);
  return Object.assign(response, { headers: combined(response.headers) });
}

/**
 * Joins the values of a repeated header (RFC 9110, 5.3), which undici returns as a list. A URL may
 * contain commas, so only the first Location counts.
 */
const combined = (headers: Dispatcher.ResponseData['headers']): ResponseHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      return [name, name === 'location' ? value[0] : value.join(', ')];
    }),
  );
