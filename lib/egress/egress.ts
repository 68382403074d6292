import { Agent, type buildConnector } from 'undici';
import { type AllowedOrigins, parseAllowOrigins } from './allow-origins.ts';
import { limitBytesRead, publicConnector } from './connector.ts';
import { type Deadline, type TimeLimits, untilAborted, withTimeLimits } from './deadline.ts';
import { EgressError } from './error.ts';
import { createExchanges, type Exchange } from './exchange.ts';
import { HEADERS, HTTP_OPTIONS, send } from './http.ts';
import { dnsResolve, publicAddresses, type Resolve } from './resolve.ts';
import {
  discard,
  mediaTypeOf,
  type ResponseHeaders,
  type ResponseLimits,
  readResponse,
  readStart,
} from './response.ts';
import { addressOf, parsePublicUrl, parseStoredUrl } from './url.ts';

// undici does the HTTP. No library does the rest: those against SSRF check a name before another look-up connects, or
// do not check redirects; none limits the time, bytes, headers and pace of a response (docs/decisions/0006-egress.md).

export { EgressError, type EgressFailure, ExchangeError } from './error.ts';
export type { ExchangeRequest } from './exchange.ts';
export type { ResponseHeaders } from './response.ts';

const CHECK_TIMEOUT_MS = 2000;
const CONNECTIONS_PER_ORIGIN = 50;
const MAX_WIRE_BYTES = 24 * 1024 * 1024;
/** Requests sent to a webhook receiver on one connection. */
const MAX_POSTS_PER_CONNECTION = 500;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface EgressOptions {
  /** Exact origins that may be called although they are not public https (EGRESS_ALLOW_ORIGINS). */
  allowOrigins: readonly string[];
  /** The same for `fetch` alone. */
  fetchOrigins?: readonly string[];
  /** Name lookup for every other origin; DNS by default. */
  resolve?: Resolve;
  /** PEM of certificate authorities to trust in place of the built-in ones. */
  ca?: string;
  /** Most bytes that `fetch` and `post` read from one connection, including framing; 24 MB by default. */
  maxWireBytes?: number;
}

export interface FetchLimits extends TimeLimits, ResponseLimits {
  /** Most redirects followed; each target is checked like the first URL. */
  redirects: number;
  /** Called before each request, that of each redirect included. Its error ends the fetch, and is thrown unchanged. */
  request?: (url: URL) => void;
}

export interface Fetched {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  /** Media type in lower case, without parameters; '' when there is none. */
  contentType: string;
  headers: ResponseHeaders;
  body: Buffer;
}

export interface PostRequest extends TimeLimits {
  headers: Record<string, string>;
  body: string | Buffer;
  /** Most bytes of the response body that are returned. */
  maxResponseBytes: number;
}

export interface Posted {
  status: number;
  headers: ResponseHeaders;
  /** The first bytes of the response body, undecoded. */
  body: Buffer;
  /** Milliseconds until the response head arrived. */
  ms: number;
}

/** All outbound HTTP goes through this. Every failure is an EgressError, except an abort of the caller's signal. */
export interface Egress extends AsyncDisposable {
  /**
   * Rejects when a URL must not be called. A name that does not resolve now passes: it is checked again on use.
   * @returns the URL as it is called, to be stored in place of the one that was sent
   */
  check(url: string, signal?: AbortSignal): Promise<string>;
  /** GET. Returns the whole body of a 2xx response. */
  fetch(url: string, limits: FetchLimits): Promise<Fetched>;
  /** POST. Returns a response of any status and follows no redirects. */
  post(url: string, request: PostRequest): Promise<Posted>;
  /** Any method. Returns the whole response of any status; its errors tell whether the request may have been sent. */
  exchange: Exchange;
}

export function createEgress(options: EgressOptions): Egress {
  const { resolve = dnsResolve(), ca, maxWireBytes = MAX_WIRE_BYTES } = options;
  const allowed = parseAllowOrigins(options.allowOrigins);
  const fetchable = parseAllowOrigins([...options.allowOrigins, ...(options.fetchOrigins ?? [])]);
  const connectTo = (origins: AllowedOrigins) =>
    publicConnector({ allowed: origins, resolve, ...(ca === undefined ? {} : { ca }) });
  const connect = connectTo(allowed);
  const exchanges = createExchanges(allowed, connect);
  // A fetch has a connection of its own, which cannot be stale. Webhook receivers are called repeatedly.
  const fetchAgent = agent(limitBytesRead(connectTo(fetchable), maxWireBytes), { pipelining: 0 });
  const postAgent = agent(limitBytesRead(connect, maxWireBytes), {
    keepAliveMaxTimeout: 10_000,
    maxRequestsPerClient: MAX_POSTS_PER_CONNECTION,
  });

  return {
    async check(text, signal) {
      const { href, origin, hostname } = parseStoredUrl(text, allowed);
      if (allowed.has(origin) || addressOf(hostname) !== undefined) return href;
      const limits = { timeoutMs: CHECK_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
      await withTimeLimits(limits, (deadline) =>
        untilAborted(publicAddresses(hostname, resolve), deadline.signal),
      ).catch(ignoreUnresolved);
      return href;
    },

    async fetch(text, limits) {
      const url = parsePublicUrl(text, fetchable);
      return withTimeLimits(limits, (deadline) => follow(fetchAgent, fetchable, url, { limits, deadline }));
    },

    async post(text, { body, maxResponseBytes, ...request }) {
      const url = parsePublicUrl(text, allowed);
      return withTimeLimits(request, async ({ signal }) => {
        const sentAt = performance.now();
        const headers = { ...HEADERS, ...request.headers };
        const response = await send(postAgent, url, { method: 'POST', headers, body, signal });
        const ms = Math.round(performance.now() - sentAt);
        const start = await readStart(response, maxResponseBytes);
        return { status: response.statusCode, headers: response.headers, body: start, ms };
      });
    },

    exchange: exchanges.exchange,

    async [Symbol.asyncDispose]() {
      await Promise.all([fetchAgent.destroy(), postAgent.destroy(), exchanges[Symbol.asyncDispose]()]);
    },
  };
}

/** GETs a URL and follows redirects. */
async function follow(
  agent: Agent,
  allowed: AllowedOrigins,
  first: URL,
  { limits, deadline }: { limits: FetchLimits; deadline: Deadline },
): Promise<Fetched> {
  let url = first;
  for (let left = limits.redirects; ; left -= 1) {
    await deadline.pause(async () => limits.request?.(url));
    const response = await send(agent, url, { method: 'GET', headers: HEADERS, signal: deadline.signal });
    const { statusCode: status, headers } = response;
    if (!REDIRECTS.has(status)) {
      const body = await readResponse(response, limits, deadline);
      return { url: url.href, status, contentType: mediaTypeOf(headers), headers, body };
    }
    discard(response);
    if (left === 0)
      throw new EgressError('redirects', `The URL redirects more than ${limits.redirects} times.`);
    url = parsePublicUrl(locationOf(headers), allowed, url);
  }
}

function agent(connect: buildConnector.connector, options: Agent.Options): Agent {
  return new Agent({ ...HTTP_OPTIONS, connect, connections: CONNECTIONS_PER_ORIGIN, ...options });
}

function locationOf({ location = '' }: ResponseHeaders): string {
  if (location !== '') return location;
  throw new EgressError('redirects', 'The URL redirects without a Location header.');
}

function ignoreUnresolved(error: unknown): void {
  const unresolved = error instanceof EgressError && ['unresolved', 'timeout'].includes(error.kind);
  if (!unresolved) throw error;
}
