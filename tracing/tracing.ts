import type { Context, Tracer } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Resources } from '../runtime/resources.ts';

/** The traces of one process. Disposing sends what is left, within a short time limit. */
export interface Tracing extends AsyncDisposable {
  tracer: Tracer;
  /** The context that a request with this `traceparent` continues. */
  contextOf(traceparent: string | string[] | undefined): Context;
  /** What carries a trace through Temporal. Workflows need the traced bundle besides. */
  temporal: {
    client: WorkflowClientInterceptor;
    activity: ActivityInterceptorsFactory;
    sinks: NonNullable<WorkerOptions['sinks']>;
  };
}

/**
 * Opens the traces of a process, or nothing when none are configured: OpenTelemetry is then not even loaded.
 * @param name of the process, such as `worker`
 */
export async function openTracing(
  config: Config['tracing'],
  { name, logger, keep }: { name: string; logger: Pick<Logger, 'warn' | 'info'>; keep: Resources['use'] },
): Promise<Tracing | undefined> {
  if (config === null) return undefined;
  const { createTracing } = await import('./create-tracing.ts');
  return keep(createTracing(config, name, logger));
}
