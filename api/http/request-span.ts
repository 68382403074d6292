import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ATTRIBUTES } from '../../lib/telemetry/tracing/attributes.ts';
import type { Tracing } from '../../lib/telemetry/tracing/tracing.ts';
import { bindLog } from './request-log.ts';

// @fastify/otel requires the next major version of OpenTelemetry, and patches Fastify.

/** Adds a span, in which the later hooks and the handler run, to every request of a route that is not a probe's. */
export function traceRequests(app: FastifyInstance, { tracer, contextOf }: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id, routeOptions } = request;
    // The path may contain what is secret, so that only the template of a route is recorded.
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
    // Also when the client goes away before it has a response.
    reply.raw.once('close', () => end(span, request, reply));
    context.with(trace.setSpan(parent, span), done);
  });
}

function end(span: Span, { caller, jobId }: FastifyRequest, { statusCode, raw }: FastifyReply): void {
  if (caller !== undefined) span.setAttribute(ATTRIBUTES.accountId, caller.accountId);
  if (jobId !== undefined) span.setAttribute(ATTRIBUTES.jobId, jobId);
  if (raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
