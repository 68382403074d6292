import { context, propagation, SpanStatusCode } from '@opentelemetry/api';
import type { Egress } from '../../egress/egress.ts';
import { inClientSpan } from './in-span.ts';
import type { Tracing } from './tracing.ts';

/**
 * Sends each webhook in a span, whose `traceparent` the receiver gets. Path and query of its URL may contain a secret
 * and are not recorded.
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
