import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseAsyncHookHandler } from 'fastify';
import type { Metrics } from '../../lib/telemetry/metrics/metrics.ts';
import { ATTRIBUTES } from '../../lib/telemetry/tracing/attributes.ts';
import type { Tracing } from '../../lib/telemetry/tracing/tracing.ts';
import type { Waiters } from '../waiting/waiters.ts';
import { pathOf } from './error-handler.ts';
import './fastify-types.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The client's X-Request-Id if it is well-formed and contains no API key, since it is logged; else
 * a new one.
 */
export function requestId(keyPrefix: string) {
  return (request: IncomingMessage): string => {
    const sent = request.headers['x-request-id'];
    const usable = typeof sent === 'string' && WELL_FORMED.test(sent) && !sent.includes(keyPrefix);
    return usable ? sent : randomUUID();
  };
}

/** Ends the log of a request. */
export function endLog(request: FastifyRequest): void {
  request.log = request.log.child({}, { level: 'silent' });
}

/** Adds fields to all further lines of the request. */
export function bindLog(request: FastifyRequest, fields: Readonly<Record<string, string | number>>): void {
  request.log = request.log.child(fields);
}

/** Says which job the request is about, in its log lines and its span. To be called once. */
export function bindJob(request: FastifyRequest, jobId: string): void {
  bindLog(request, { jobId });
  trace.getActiveSpan()?.setAttribute(ATTRIBUTES.jobId, jobId);
}

/** onResponse hook: logs one line per request, but none for probes. */
export const logResponse: onResponseAsyncHookHandler = async (request, reply) => {
  const { method, ip, routeOptions } = request;
  if (routeOptions.config.probe) return;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  // Behind a proxy the address comes from X-Forwarded-For, which may contain anything.
  const clientIp = isIP(ip) === 0 ? '*' : ip;
  request.log.info(
    { method, path: pathOf(request), status: reply.statusCode, ms, ip: clientIp },
    'request completed',
  );
};

/** Other methods count as one, so that a caller cannot make up series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/**
 * onResponse hook: counts and times every request but those of probes. A request that waits for its
 * job is counted, but not timed.
 */
export function countResponse(
  metrics: Metrics,
  { hasWaited }: Pick<Waiters, 'hasWaited'>,
): onResponseAsyncHookHandler {
  return async ({ method: sent, routeOptions }, { statusCode, elapsedTime, raw }) => {
    const { url: route = 'unknown', config } = routeOptions;
    if (config.probe) return;
    const method = METHODS.has(sent) ? sent : 'other';
    metrics.add('imagejob_http_requests_total', { method, route, status: String(statusCode) });
    if (!hasWaited(raw)) metrics.observe('imagejob_http_request_seconds', { route }, elapsedTime / 1000);
  };
}

// @fastify/otel requires the next major version of OpenTelemetry, and patches Fastify.

/**
 * Starts a span for every request but those of probes. The later hooks and the handler run in it.
 */
export function traceRequests(app: FastifyInstance, { tracer, contextOf }: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id, routeOptions } = request;
    // The path may contain secrets, so only the template of the route is recorded.
    const { url: route, config } = routeOptions;
    if (config.probe || route === undefined) return done();
    const parent = contextOf(headers.traceparent);
    const attributes = {
      'http.request.method': method,
      [ATTRIBUTES.requestId]: id,
      'http.route': route,
    };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    bindLog(request, { trace_id: span.spanContext().traceId });
    // Fires even if the client goes away before it has a response.
    reply.raw.once('close', () => end(span, request, reply));
    context.with(trace.setSpan(parent, span), done);
  });
}

function end(span: Span, { caller }: FastifyRequest, { statusCode, raw }: FastifyReply): void {
  if (caller !== undefined) span.setAttribute(ATTRIBUTES.accountId, caller.accountId);
  if (raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
