import { type Context, context, propagation, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent, W3CTraceContextPropagator } from '@opentelemetry/core';
import { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { Logger } from 'pino';
import { createEgress } from '../../egress/egress.ts';
import type { Config } from '../../process/config/config.ts';
import { withDeadline } from '../../process/process.ts';
import { createExporter } from './exporter.ts';
import type { Tracing } from './tracing.ts';

/** Time for sending the last spans. A process has 4 s for closing everything. */
const FLUSH_MS = 1500;

/** Spans that wait for the collector in one process, about 1 KB each; further ones are dropped. */
const MAX_QUEUE_SIZE = 4096;

/** More than a span of this service has. */
const LIMITS = { attributeCountLimit: 64, attributeValueLengthLimit: 256 } as const;

/** A `traceparent` of version 00 has 55 characters. Later versions may have more. */
const MAX_TRACEPARENT = 128;

/**
 * Every setting is given here. The SDK reads a missing setting from an environment variable of its
 * own.
 */
export function createTracing(
  { url, headers, serviceName, ratio }: NonNullable<Config['tracing']>,
  name: string,
  logger: Pick<Logger, 'warn' | 'info'>,
): Tracing {
  const egress = createEgress({ allowOrigins: [new URL(url).origin] });
  const exporter = createExporter({ egress, url, headers, logger });
  const spanProcessor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_QUEUE_SIZE,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 2000,
    exportTimeoutMillis: 30_000,
  });
  const resource = new Resource({ 'service.name': serviceName || `imagejob-${name}` });
  const provider = new BasicTracerProvider({
    resource,
    mergeResourceWithDefaults: false,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    generalLimits: LIMITS,
    spanLimits: { ...LIMITS, linkCountLimit: 8, eventCountLimit: 8, attributePerEventCountLimit: 8 },
    spanProcessors: [spanProcessor],
  });
  registerContext();
  const tracer = provider.getTracer('image-job-api');
  return {
    tracer,
    contextOf: (traceparent) => contextOfRequest(traceparent, ratio),
    temporal: {
      client: new OpenTelemetryWorkflowClientInterceptor({ tracer }),
      activity: (context) => ({
        inbound: new OpenTelemetryActivityInboundInterceptor(context, { tracer }),
      }),
      sinks: { exporter: makeWorkflowExporter(spanProcessor, resource) },
    },
    async [Symbol.asyncDispose]() {
      await withDeadline(FLUSH_MS, provider.shutdown()).catch(() => {});
      exporter.abort();
      await egress[Symbol.asyncDispose]();
    },
  };
}

/**
 * Registers what OpenTelemetry has only once in a process. The first call counts, and later calls
 * change nothing. Baggage is left out: it would carry what strangers have sent to everybody.
 */
function registerContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}

/**
 * The context that a request continues: the trace of its `traceparent` (W3C Trace Context) if that
 * is valid, otherwise none. The caller chooses the id, but `ratio` alone decides whether the trace
 * is recorded: a stranger can neither fill the collector nor stay out of it. `tracestate` is not
 * accepted, because it would be passed on to others.
 */
export function contextOfRequest(header: string | string[] | undefined, ratio: number): Context {
  if (typeof header !== 'string' || header.length > MAX_TRACEPARENT) return ROOT_CONTEXT;
  const parent = parseTraceParent(header);
  if (parent === null) return ROOT_CONTEXT;
  const traceFlags = Math.random() < ratio ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags, isRemote: true });
}
