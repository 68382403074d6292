import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, test } from 'vitest';
import { toOtlp } from '../../../lib/telemetry/tracing/otlp.ts';

const finished = new InMemorySpanExporter();
const provider = new BasicTracerProvider({
  resource: new Resource({ 'service.name': 'imagejob-api' }),
  mergeResourceWithDefaults: false,
  spanProcessors: [new SimpleSpanProcessor(finished)],
});
const tracer = provider.getTracer('test');
afterEach(() => finished.reset());

function sent(spans: ReadableSpan[] = finished.getFinishedSpans()) {
  const [resourceSpans] = toOtlp(spans).resourceSpans;
  const [first] = resourceSpans?.scopeSpans[0]?.spans ?? [];
  return { resource: resourceSpans?.resource, span: first, text: JSON.stringify(resourceSpans) };
}

describe('a span in OTLP', () => {
  test('has its ids, times and kind as the protocol writes them', () => {
    const start = new Date('2026-01-31T12:00:00.250Z');
    const span = tracer.startSpan('POST webhook', { kind: SpanKind.CLIENT, startTime: start });
    span.end(new Date('2026-01-31T12:00:01Z'));
    expect(sent().span).toEqual({
      ...{ traceId: span.spanContext().traceId, spanId: span.spanContext().spanId },
      name: 'POST webhook',
      kind: 3,
      startTimeUnixNano: '1769860800250000000',
      endTimeUnixNano: '1769860801000000000',
      attributes: [],
      status: { code: SpanStatusCode.UNSET },
    });
    expect(sent().resource).toEqual({
      attributes: [{ key: 'service.name', value: { stringValue: 'imagejob-api' } }],
    });
  });

  test('has text, whole and other numbers in fields of their own', () => {
    const attributes = {
      'imagejob.job_id': 'j1',
      'http.response.status_code': 201,
      'imagejob.cost_usd': 0.04,
    };
    tracer.startSpan('a', { attributes }).end();
    expect(sent().span?.attributes).toEqual([
      { key: 'imagejob.job_id', value: { stringValue: 'j1' } },
      { key: 'http.response.status_code', value: { intValue: '201' } },
      { key: 'imagejob.cost_usd', value: { doubleValue: 0.04 } },
    ]);
  });

  test('has no attribute that is not listed', () => {
    tracer.startSpan('a', { attributes: { 'url.full': 'https://secret.example/?token=1', memo: '2' } }).end();
    expect(sent().span?.attributes).toEqual([]);
  });

  test('of a workflow has its ids under the names that activities use', () => {
    tracer.startSpan('a', { attributes: { workflowId: 'job:1', runId: 'r', taskQueue: 'jobs' } }).end();
    expect(sent().span?.attributes).toEqual([
      { key: 'temporalWorkflowId', value: { stringValue: 'job:1' } },
      { key: 'run_id', value: { stringValue: 'r' } },
    ]);
  });

  test('of a failure has the type of the error, and neither message nor stack', () => {
    const span = tracer.startSpan('a');
    const error = new TypeError('the secret');
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    span.recordException(error);
    span.end();
    const { text } = sent();
    expect(sent().span).toMatchObject({
      attributes: [{ key: 'error.type', value: { stringValue: 'TypeError' } }],
      status: { code: SpanStatusCode.ERROR },
    });
    expect(text).not.toContain('secret');
    expect(text).not.toContain('otlp.test.ts');
  });
});
