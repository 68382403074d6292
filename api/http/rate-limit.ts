import type { FastifyReply, FastifyRequest } from 'fastify';
import { tooManyRequests, tooManyWebhooks } from '../../lib/contract/api-errors.ts';
import {
  type AddressLimit,
  RATE_LIMITS,
  type RouteGroup,
  WEBHOOK_LIMITS,
  type WebhookLimit,
} from '../../lib/contract/limits.ts';
import { clientOf, siteOf } from './client-address.ts';
import { createSlidingWindow, type Hit, type Rejection, type SlidingWindow } from './rate-window.ts';
import './fastify-types.ts';
import { bindLog, endLog } from './request-telemetry.ts';

export interface RateLimitOptions {
  /** Path prefix of the counted routes, such as `/api/v1`. */
  prefix: string;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  now?: () => number;
  /**
   * Bound the memory: how many clients are tracked, and how many keys per route group, or accounts.
   */
  maxClients?: number;
  maxKeys?: number;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Two onRequest hooks, to run before and after authentication, and a check. All throw ApiError
 * rate_limited.
 */
export interface RateLimits {
  /**
   * Counts the request for its client address and, with IPv6, for its /48 network. Routes outside
   * `prefix` have windows of their own, and probes have none. A rejection closes the connection.
   * Only the first rejection of a client in a minute is logged.
   */
  countClient: Hook;
  /**
   * Counts the request for its key in the route's group. Its headers replace the headers of the
   * client's window.
   */
  countKey: Hook;
  /** Counts a webhook that a client of the account asks for, before its workflow is started. */
  countWebhook(name: WebhookLimit, accountId: string): void;
}

/**
 * The rate limits of one API process (spec: Rate limits). Every response below `prefix`, errors
 * included, has X-RateLimit-Limit and X-RateLimit-Remaining, and also RateLimit-Policy and
 * RateLimit (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function createRateLimits(options: RateLimitOptions): RateLimits {
  const { prefix, now = () => performance.now(), maxClients = 50_000, maxKeys = 10_000 } = options;
  const windowOf = (limit: number, max: number, windowMs: number = RATE_LIMITS.windowMs) =>
    createSlidingWindow({ limit, windowMs, maxKeys: max, now });
  const hitsOf = (ip: AddressLimit, site: AddressLimit) =>
    countAddresses(ip, windowOf(RATE_LIMITS[ip], maxClients), site, windowOf(RATE_LIMITS[site], maxClients));
  const [inside, outside] = [hitsOf('ip', 'site'), hitsOf('ip-other', 'site-other')];
  const keyWindow = (group: RouteGroup) => windowOf(RATE_LIMITS[group], maxKeys);
  const keys: Record<RouteGroup, SlidingWindow> = {
    'create-job': keyWindow('create-job'),
    'read-job': keyWindow('read-job'),
    'delete-job': keyWindow('delete-job'),
    'read-account': keyWindow('read-account'),
    list: keyWindow('list'),
    webhooks: keyWindow('webhooks'),
  };
  const webhooksOf = (name: WebhookLimit) => windowOf(WEBHOOK_LIMITS[name], maxKeys, WEBHOOK_LIMITS.windowMs);
  const webhooks = { 'test-events': webhooksOf('test-events'), redeliveries: webhooksOf('redeliveries') };
  return {
    async countClient(request, reply) {
      if (request.routeOptions.config.probe) return;
      const counted = isCounted(request, prefix);
      const { name, hit } = (counted ? inside : outside)(clientOf(request.ip));
      if (counted) setHeaders(reply, name, hit);
      if (hit.rejection === undefined) return;
      silence(request, reply, hit.rejection);
      throw tooManyRequests({ name, requests: hit.limit }, hit.resetSeconds);
    },
    async countKey({ routeOptions, caller }, reply) {
      const { group } = routeOptions.config;
      if (group === undefined || caller === undefined) return;
      const hit = keys[group].hit(caller.keyId);
      setHeaders(reply, group, hit);
      if (!hit.allowed) throw tooManyRequests({ name: group, requests: hit.limit }, hit.resetSeconds);
    },
    countWebhook(name, accountId) {
      const { allowed, resetSeconds } = webhooks[name].hit(accountId);
      if (!allowed) throw tooManyWebhooks(name, resetSeconds);
    },
  };
}

/**
 * @returns a function that counts a request. It returns the hit of the client, or the hit of its
 * site if only the site is over its limit
 */
function countAddresses(ip: AddressLimit, clients: SlidingWindow, site: AddressLimit, sites: SlidingWindow) {
  return (client: string): { name: AddressLimit; hit: Hit } => {
    const own = { name: ip, hit: clients.hit(client) };
    const network = siteOf(client);
    if (!own.hit.allowed || network === undefined) return own;
    const shared = { name: site, hit: sites.hit(network) };
    return shared.hit.allowed ? own : shared;
  };
}

/**
 * Uses the matched route where there is one, because the URL may spell the same path with escapes.
 */
function isCounted({ routeOptions, url }: FastifyRequest, prefix: string): boolean {
  return `${routeOptions.url ?? url}/`.startsWith(`${prefix}/`);
}

function setHeaders(reply: FastifyReply, name: RouteGroup | AddressLimit, hit: Hit): void {
  const { limit, remaining, resetSeconds } = hit;
  reply.headers({
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'RateLimit-Policy': `"${name}";q=${limit};w=${RATE_LIMITS.windowMs / 1000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  });
}

/** Removes the headers that {@link RateLimits.countClient} has set. */
export function removeRateLimitHeaders(reply: FastifyReply): void {
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit-Policy', 'RateLimit'])
    reply.removeHeader(name);
}

/** Without this, a client that ignores its rejections would cost as much as one that is served. */
function silence(request: FastifyRequest, reply: FastifyReply, { report, unreported }: Rejection): void {
  reply.header('Connection', 'close');
  if (!report) endLog(request);
  else if (unreported > 0) bindLog(request, { unloggedBefore: unreported });
}
