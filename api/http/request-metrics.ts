import type { onResponseAsyncHookHandler } from 'fastify';
import type { Metrics } from '../../lib/telemetry/metrics/metrics.ts';
import './fastify-types.ts';

/** Other methods count as one, so that a caller cannot make up series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/** onResponse hook: counts and times every request but those of probes. The time of one that waited says nothing. */
export function countResponse(metrics: Metrics): onResponseAsyncHookHandler {
  return async ({ method: sent, routeOptions, waits }, { statusCode, elapsedTime }) => {
    const { url: route = 'unknown', config } = routeOptions;
    if (config.probe) return;
    const method = METHODS.has(sent) ? sent : 'other';
    metrics.add('imagejob_http_requests_total', { method, route, status: String(statusCode) });
    if (!waits) metrics.observe('imagejob_http_request_seconds', { route }, elapsedTime / 1000);
  };
}
