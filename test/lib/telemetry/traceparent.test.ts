import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { contextOfRequest } from '../../../lib/telemetry/tracing/create-tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test.each(['00', '01', 'ff'])('is continued, and its flags %s have no effect', (flags) => {
    const header = `00-${TRACE}-${PARENT}-${flags}`;
    const ids = { traceId: TRACE, spanId: PARENT, isRemote: true };
    const [always, never] = [1, 0].map((ratio) => trace.getSpanContext(contextOfRequest(header, ratio)));
    expect(always).toEqual({ ...ids, traceFlags: TraceFlags.SAMPLED });
    expect(never).toEqual({ ...ids, traceFlags: TraceFlags.NONE });
  });

  test('of a later version is continued', () => {
    const context = contextOfRequest(`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, 1);
    expect(trace.getSpanContext(context)?.traceId).toBe(TRACE);
  });

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['the forbidden version', `ff-${TRACE}-${PARENT}-01`],
    ['more fields than version 00 has', `00-${TRACE}-${PARENT}-01-x`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['two of them', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['a long one', `cc-${TRACE}-${PARENT}-01-${'x'.repeat(10_000)}`],
    ['other text', '{"trace":1}'],
  ])('that is not valid begins a trace of our own: %s', (_, header) => {
    expect(contextOfRequest(header, 1)).toBe(ROOT_CONTEXT);
  });
});
