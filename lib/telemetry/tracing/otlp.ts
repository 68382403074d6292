import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { type HrTime, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { isExported, NAMES } from './attributes.ts';

// OTLP/HTTP with JSON (opentelemetry-proto, collector/trace/v1). OpenTelemetry's exporter for this
// version of its SDK would add 13 MB, and reads environment variables
// (docs/decisions/0010-traces.md).

/** The request body for spans of one process. */
export function toOtlp(spans: readonly ReadableSpan[]) {
  const [first] = spans;
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(first?.resource.attributes ?? {}) },
        scopeSpans: [{ scope: { name: 'image-job-api' }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    ...(span.parentSpanId ? { parentSpanId: span.parentSpanId } : {}),
    name: span.name,
    // SpanKind of the API begins with 0, where OTLP has "unspecified".
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: [...toKeyValues(exported(span.attributes)), ...toKeyValues(errorType(span))],
    status: { code: span.status.code },
  };
}

const exported = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes)
      .map(([name, value]) => [NAMES[name] ?? name, value] as const)
      .filter(([name]) => isExported(name)),
  );

/**
 * Temporal's interceptors record exceptions with message and stack. Messages may quote a client, a
 * receiver or an upstream, so only the type is sent.
 */
function errorType({ status, events, attributes }: ReadableSpan): Attributes {
  if (status.code !== SpanStatusCode.ERROR || 'error.type' in attributes) return {};
  const type = events.find(({ name }) => name === 'exception')?.attributes?.['exception.type'];
  return type === undefined ? {} : { 'error.type': type };
}

function toKeyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );
}

function toAnyValue(value: AttributeValue) {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { stringValue: String(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const nanoseconds = ([seconds, nanos]: HrTime) => `${seconds}${String(nanos).padStart(9, '0')}`;
