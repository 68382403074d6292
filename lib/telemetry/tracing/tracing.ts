import type { Context, Tracer } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';

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
