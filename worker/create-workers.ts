import {
  type ActivityInterceptorsFactory,
  NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { createActivities } from '../activities/activities.ts';
import type { createRenderActivities } from '../activities/jobs/render-job.ts';
import type { Config } from '../lib/process/config/config.ts';
import { CLOSING_MS } from '../lib/process/process.ts';
import { withResources } from '../lib/process/resources.ts';
import { connectionOptions } from '../lib/process/temporal-client.ts';
import { taskQueues } from '../lib/protocol/task-queues.ts';
import type { Tracing } from '../lib/telemetry/tracing/tracing.ts';
import { activityContext } from './activity-context.ts';

interface Common {
  config: Config;
  connection: NativeConnection;
  /** Undefined where no traces are configured. */
  tracing?: Tracing | undefined;
}

export interface WorkerDeps extends Common {
  activities: ReturnType<typeof createActivities>;
  workflowBundle: WorkflowBundleOption;
  /** Called around every activity of the queue `jobs`. */
  interceptors?: ActivityInterceptorsFactory[];
}

export interface RendererDeps extends Common {
  activities: ReturnType<typeof createRenderActivities>;
}

/** Workers of one process. They must not be disposed while they run. */
export interface Workers extends AsyncDisposable {
  /** Runs the workers until the signal, then lets running work finish within the grace period. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Time after the grace period until running work is abandoned; the other half is for closing
 * connections.
 */
const FORCE_MS = CLOSING_MS / 2;

/**
 * An acceptance takes a slot of both kinds until MongoDB has responded, and so does a refund. Each
 * API process has at most 50 acceptances of one account in progress, and each worker tries as many
 * of its refunds. So an account whose balance is locked leaves slots to others. With the SDK's
 * defaults, 40 and 100, it would not. With 800 slots a burst takes twice as long, because more
 * tasks compete for the processor.
 */
const SLOTS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentLocalActivityExecutions: 200,
} as const;

/**
 * The SDK's default throttling, up to 12 s here, delays cancellations: a heartbeat's response
 * carries them.
 */
const PROMPT_HEARTBEATS = { maxHeartbeatThrottleInterval: '1 s' } as const;

/**
 * The workers of a worker process, one per queue that WORKER_QUEUES names: `jobs` for workflows and
 * activities on the stores, `webhooks` for deliveries.
 */
export function createWorkers(deps: WorkerDeps): Promise<Workers> {
  const { queues } = deps.config.worker;
  return create(
    ...(queues === 'webhooks' ? [] : [jobsOptions(deps)]),
    ...(queues === 'jobs' ? [] : [webhooksOptions(deps)]),
  );
}

function jobsOptions({ activities, workflowBundle, interceptors = [], ...deps }: WorkerDeps): WorkerOptions {
  return {
    ...common(deps, deps.config.shutdownGraceMs),
    ...SLOTS,
    taskQueue: taskQueues(deps.config.temporal.taskQueuePrefix).jobs,
    workflowBundle,
    activities: activities.jobs,
    interceptors: { activity: [...around(deps), ...interceptors] },
    ...(deps.tracing === undefined ? {} : { sinks: deps.tracing.temporal.sinks }),
  };
}

function webhooksOptions({ activities, ...deps }: WorkerDeps): WorkerOptions {
  return {
    ...common(deps, deps.config.shutdownGraceMs),
    ...PROMPT_HEARTBEATS,
    taskQueue: taskQueues(deps.config.temporal.taskQueuePrefix).webhooks,
    activities: activities.webhooks,
    maxConcurrentActivityTaskExecutions: deps.config.worker.webhookSlots,
  };
}

/** The worker of a renderer process: runs the activities of `images` and no workflows. */
export function createRenderer({ activities, ...deps }: RendererDeps): Promise<Workers> {
  const { config } = deps;
  return create({
    ...common(deps, config.worker.renderGraceMs),
    ...PROMPT_HEARTBEATS,
    taskQueue: taskQueues(config.temporal.taskQueuePrefix).images,
    activities,
    maxConcurrentActivityTaskExecutions: config.worker.renderSlots,
  });
}

/** Tracing comes first, so that the span exists when the ids are added to it. */
const around = ({ tracing }: Common): ActivityInterceptorsFactory[] =>
  tracing === undefined ? [activityContext] : [tracing.temporal.activity, activityContext];

const common = (deps: Common, graceMs: number) =>
  ({
    connection: deps.connection,
    namespace: deps.config.temporal.namespace,
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + FORCE_MS,
    interceptors: { activity: around(deps) },
  }) satisfies Partial<WorkerOptions>;

/**
 * Creates one worker after another. If one cannot be created, releases the workers created before.
 */
function create(...all: WorkerOptions[]): Promise<Workers> {
  return withResources(async (_keep, defer) => {
    const workers: Worker[] = [];
    defer(() => Promise.all(workers.map(release)));
    for (const options of all) workers.push(await Worker.create(options));
    return { run: (signal: AbortSignal) => runWorkers(workers, signal) };
  });
}

/**
 * Releases the connection and ends the workflow threads. The SDK does so only at the end of a run.
 */
async function release(worker: Worker): Promise<void> {
  if (worker.getState() === 'INITIALIZED') await worker.runUntil(Promise.resolve());
}

/** See {@link Workers}. */
async function runWorkers(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
  const running = workers.map((worker) => worker.run());
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.all(running);
  } finally {
    stop();
    await Promise.allSettled(running);
  }
}

/** Connects to Temporal. Closing the connection fails while a worker holds it. */
export async function openConnection(
  config: Config['temporal'],
): Promise<{ connection: NativeConnection } & AsyncDisposable> {
  const connection = await NativeConnection.connect(connectionOptions(config));
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}
