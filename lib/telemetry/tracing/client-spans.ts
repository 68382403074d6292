import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import type { Egress } from '../../egress/egress.ts';
import type { Tracing } from './tracing.ts';

/**
 * Runs `work` in a span of a call to another server. An error is recorded by its kind only, because
 * its message may quote the other side.
 */
export function inClientSpan<T>(
  tracer: Tracer,
  { name, attributes }: { name: string; attributes: Attributes },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The kind that errors of this project have, or the name. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { kind, failure } = error as { kind?: unknown; failure?: { kind?: unknown } };
  const found = kind ?? failure?.kind;
  return typeof found === 'string' ? found : error.name;
}

/**
 * Sends each webhook in a span, whose `traceparent` the receiver gets. Path and query of its URL
 * may contain a secret and are not recorded.
 */
export function traceWebhooks(
  { post }: Pick<Egress, 'post'>,
  { tracer }: Pick<Tracing, 'tracer'>,
): Pick<Egress, 'post'> {
  return {
    post: (url, request) =>
      inClientSpan(tracer, { name: 'POST webhook', attributes: attributesOf(url) }, async (span) => {
        const headers = { ...request.headers };
        propagation.inject(context.active(), headers);
        const response = await post(url, { ...request, headers });
        span.setAttribute('http.response.status_code', response.status);
        if (response.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      }),
  };
}

const attributesOf = (url: string) => ({
  'http.request.method': 'POST',
  'server.address': URL.canParse(url) ? new URL(url).hostname : '',
});
