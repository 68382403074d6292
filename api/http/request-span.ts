import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ATTRIBUTES } from '../../tracing/attributes.ts';
import type { Tracing } from '../../tracing/tracing.ts';
import { bindLog } from './request-log.ts';

// @fastify/otel requires the next major version of OpenTelemetry, and patches Fastify.

/** Adds a span to every request but those of probes, in which its other hooks and its handler run. */
export function traceRequests(app: FastifyInstance, { tracer, contextOf }: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id, routeOptions } = request;
    if (routeOptions.config.probe) return done();
    // The path may contain what is secret, so that only the template of a route is recorded.
    const route = routeOptions.url;
    const parent = contextOf(headers.traceparent);
    const attributes = {
      'http.request.method': method,
      [ATTRIBUTES.requestId]: id,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
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
