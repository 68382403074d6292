import type { FastifyReply, FastifyRequest } from 'fastify';
import { tooManyRequests } from '../../contract/api-errors.ts';
import { RATE_LIMITS, type RouteGroup } from '../../contract/limits.ts';
import { clientOf, siteOf } from './client-address.ts';
import { createSlidingWindow, type Hit, type SlidingWindow } from './rate-window.ts';
import './fastify-types.ts';

export interface RateLimitOptions {
  /** Path prefix of the counted routes, such as `/api/v1`. */
  prefix: string;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  now?: () => number;
  /** Bounds on memory: clients, and keys per route group, that are tracked. */
  maxClients?: number;
  maxKeys?: number;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Two onRequest hooks, to run before and after authentication. Both throw ApiError rate_limited. */
export interface RateLimits {
  /** Counts the request for its client address and, with IPv6, for its /48 network. */
  countClient: Hook;
  /** Counts the request for its key in the route's group. Its headers replace those of the client. */
  countKey: Hook;
}

const GROUPS = ['create-job', 'read-job', 'delete-job', 'read-account'] as const satisfies RouteGroup[];

/**
 * The rate limits of one API process (spec: Rate limits). Every counted response, errors included, has
 * X-RateLimit-Limit and X-RateLimit-Remaining, and also RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function createRateLimits(options: RateLimitOptions): RateLimits {
  const { prefix, now = () => performance.now(), maxClients = 50_000, maxKeys = 10_000 } = options;
  const windowOf = (limit: number, max: number) =>
    createSlidingWindow({ limit, windowMs: RATE_LIMITS.windowMs, maxKeys: max, now });
  const clients = windowOf(RATE_LIMITS.ip, maxClients);
  const sites = windowOf(RATE_LIMITS.site, maxClients);
  const keys = Object.fromEntries(
    GROUPS.map((group) => [group, windowOf(RATE_LIMITS[group], maxKeys)]),
  ) as Record<RouteGroup, SlidingWindow>;
  return {
    async countClient(request, reply) {
      if (!isCounted(request, prefix)) return;
      const client = clientOf(request.ip);
      applyHit(reply, 'ip', clients.hit(client));
      const site = siteOf(client);
      const hit = site === undefined ? undefined : sites.hit(site);
      if (hit?.allowed === false) applyHit(reply, 'site', hit);
    },
    async countKey({ routeOptions, caller }, reply) {
      const { group } = routeOptions.config;
      if (group !== undefined && caller !== undefined) applyHit(reply, group, keys[group].hit(caller.keyId));
    },
  };
}

/** Uses the matched route where there is one, because the URL may spell the same path with escapes. */
function isCounted({ routeOptions, url }: FastifyRequest, prefix: string): boolean {
  return `${routeOptions.url ?? url}/`.startsWith(`${prefix}/`);
}

function applyHit(reply: FastifyReply, name: RouteGroup | 'ip' | 'site', hit: Hit): void {
  const { allowed, limit, remaining, resetSeconds } = hit;
  reply.headers({
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'RateLimit-Policy': `"${name}";q=${limit};w=${RATE_LIMITS.windowMs / 1000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  });
  if (allowed) return;
  throw tooManyRequests({ name, requests: limit }, resetSeconds);
}
