import { type Context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** A valid one of version 00 has 55 characters; later versions may have more. */
const MAX_LENGTH = 128;

/**
 * The context that a request continues: the trace of its `traceparent` (W3C Trace Context) if that is valid, otherwise
 * none. The caller chooses the id, but `ratio` alone decides whether the trace is recorded: a stranger can neither fill
 * the collector nor stay out of it. `tracestate` is not accepted, because it would be passed on to others.
 */
export function contextOfRequest(header: string | string[] | undefined, ratio: number): Context {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return ROOT_CONTEXT;
  const parent = parseTraceParent(header);
  if (parent === null) return ROOT_CONTEXT;
  const traceFlags = Math.random() < ratio ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags, isRemote: true });
}
