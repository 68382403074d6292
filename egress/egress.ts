import { Agent, type Dispatcher } from 'undici';
import { type AllowedOrigins, parseAllowOrigins } from './allow-origins.ts';
import {
  type Answer,
  type AnswerHeaders,
  type AnswerLimits,
  discard,
  mediaTypeOf,
  readAnswer,
  readStart,
} from './answer.ts';
import { publicConnector } from './connector.ts';
import { type Deadline, type TimeLimits, untilAborted, withDeadline } from './deadline.ts';
import { EgressError } from './error.ts';
import { dnsResolve, publicAddresses, type Resolve } from './resolve.ts';
import { addressOf, parsePublicUrl } from './url.ts';

export type { AnswerHeaders } from './answer.ts';
export { EgressError } from './error.ts';

const CHECK_TIMEOUT_MS = 2000;
const CONNECTIONS_PER_ORIGIN = 50;
const MAX_HEADER_BYTES = 16 * 1024;
/** Interim answers (RFC 9110, 15.2), of which a server may send any number. */
const MAX_HINTS = 20;
/** Answers on one connection to a receiver. */
const MAX_ANSWERS = 500;
const HEADERS = { 'user-agent': 'image-job-api/1', 'accept-encoding': 'identity' };
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface EgressOptions {
  /** Exact origins that may be reached although they are not public https (EGRESS_ALLOW_ORIGINS). */
  allowOrigins: readonly string[];
  /** Name look-up for every other origin; the DNS itself when absent. */
  resolve?: Resolve;
  /** PEM of certificate authorities to trust in place of the built-in ones. */
  ca?: string;
}

export interface FetchLimits extends TimeLimits, AnswerLimits {
  /** Redirects followed at most; each target is checked like the first URL. */
  redirects: number;
}

export interface Fetched {
  /** Where the body came from, after redirects. */
  url: string;
  status: number;
  /** Media type in lower case without parameters, '' when there was none. */
  contentType: string;
  headers: AnswerHeaders;
  body: Buffer;
}

export interface PostRequest extends TimeLimits {
  headers: Record<string, string>;
  body: string | Buffer;
  /** How much of the answer's body is kept. */
  maxAnswerBytes: number;
}

export interface Posted {
  status: number;
  headers: AnswerHeaders;
  /** The first bytes of the answer's body, undecoded. */
  body: Buffer;
  /** Milliseconds until the head of the answer. */
  ms: number;
}

/** The one way out of the service. Every failure is an EgressError, but for an abort by the caller's own signal. */
export interface Egress extends AsyncDisposable {
  /** Whether a URL may be called. A name the DNS does not answer for now passes: sending checks again. */
  check(url: string, signal?: AbortSignal): Promise<void>;
  /** GET of a 2xx answer as a whole. */
  fetch(url: string, limits: FetchLimits): Promise<Fetched>;
  /** POST that takes any status for an answer and follows no redirect. */
  post(url: string, request: PostRequest): Promise<Posted>;
}

export function createEgress(options: EgressOptions): Egress {
  const { resolve = dnsResolve(), ca } = options;
  const allowed = parseAllowOrigins(options.allowOrigins);
  const connect = publicConnector({ allowed, resolve, ...(ca === undefined ? {} : { ca }) });
  // A picture is fetched once, on a connection of its own that cannot turn out stale; receivers are called again.
  const once = agent(connect, { pipelining: 0 });
  const again = agent(connect, { keepAliveMaxTimeout: 10_000, maxRequestsPerClient: MAX_ANSWERS });

  return {
    async check(text, signal) {
      const { origin, hostname } = parsePublicUrl(text, allowed);
      if (allowed.has(origin) || addressOf(hostname) !== undefined) return;
      const limits = { timeoutMs: CHECK_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
      await withDeadline(limits, (inner) =>
        untilAborted(publicAddresses(hostname, resolve), inner.signal),
      ).catch(passUnanswered);
    },

    async fetch(text, limits) {
      const url = parsePublicUrl(text, allowed);
      return withDeadline(limits, (deadline) => follow(once, allowed, url, { limits, deadline }));
    },

    async post(text, { body, maxAnswerBytes, ...request }) {
      const url = parsePublicUrl(text, allowed);
      return withDeadline(request, async ({ signal }) => {
        const start = performance.now();
        const headers = { ...HEADERS, ...request.headers };
        const answer = await send(again, url, { method: 'POST', headers, body, signal });
        const ms = Math.round(performance.now() - start);
        const kept = await readStart(answer, maxAnswerBytes);
        return { status: answer.statusCode, headers: answer.headers, body: kept, ms };
      });
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([once.destroy(), again.destroy()]);
    },
  };
}

/** GETs one URL after the other until an answer is no redirect. */
async function follow(
  agent: Agent,
  allowed: AllowedOrigins,
  first: URL,
  { limits, deadline }: { limits: FetchLimits; deadline: Deadline },
): Promise<Fetched> {
  let url = first;
  for (let left = limits.redirects; ; left -= 1) {
    const answer = await send(agent, url, { method: 'GET', headers: HEADERS, signal: deadline.signal });
    const { statusCode: status, headers } = answer;
    if (!REDIRECTS.has(status)) {
      const body = await readAnswer(answer, limits, deadline);
      return { url: url.href, status, contentType: mediaTypeOf(headers), headers, body };
    }
    discard(answer);
    if (left === 0)
      throw new EgressError('redirects', `The URL redirects more than ${limits.redirects} times.`);
    url = parsePublicUrl(locationOf(headers), allowed, url);
  }
}

/** undici's own timeouts are off: they count idle time, and the deadline bounds the whole. */
function agent(connect: ReturnType<typeof publicConnector>, options: Agent.Options): Agent {
  return new Agent({
    connect,
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    ...options,
  });
}

type Sent = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

/** One exchange up to the head of the answer. undici heeds a signal once connected; the race covers DNS and connect. */
async function send(agent: Agent, url: URL, request: Sent): Promise<Answer> {
  const target = { origin: url.origin, path: `${url.pathname}${url.search}` };
  let hints = 0;
  const onInfo = () => {
    hints += 1;
    if (hints > MAX_HINTS)
      throw new EgressError('protocol', 'The server sent too many answers ahead of its own.');
  };
  const answer = await untilAborted(agent.request({ ...target, ...request, onInfo }), request.signal);
  return Object.assign(answer, { headers: combined(answer.headers) });
}

/**
 * A header that came more than once has its values joined (RFC 9110, 5.3); undici gives them as a list. A URL may hold
 * commas, so of several Locations the first one counts.
 */
const combined = (headers: Dispatcher.ResponseData['headers']): AnswerHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      return [name, name === 'location' ? value[0] : value.join(', ')];
    }),
  );

function locationOf({ location = '' }: AnswerHeaders): string {
  if (location !== '') return location;
  throw new EgressError('redirects', 'The URL redirects without saying where to.');
}

function passUnanswered(error: unknown): void {
  const unanswered = error instanceof EgressError && ['unresolved', 'timeout'].includes(error.kind);
  if (!unanswered) throw error;
}
