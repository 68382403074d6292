import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
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
import { contextOfRequest } from './traceparent.ts';
import type { Tracing } from './tracing.ts';

/** Time for the last spans, of the 4 s that a process has for closing everything. */
const FLUSH_MS = 1500;

/** Spans that wait for the collector in one process, about 1 KB each; further ones are dropped. */
const MAX_QUEUE_SIZE = 4096;

/** Above what a span of ours has. */
const LIMITS = { attributeCountLimit: 64, attributeValueLengthLimit: 256 } as const;

/** Every setting is given here, because the SDK reads those that are not from environment variables of its own. */
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
 * What OpenTelemetry has only once in a process. The first call of a process counts, and later ones change nothing.
 * Baggage is left out: it would carry what strangers have sent to everybody.
 */
function registerContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}
