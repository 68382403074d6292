import {
  type NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { createActivities } from '../activities/activities.ts';
import type { createRenderingActivities } from '../activities/jobs/rendering.ts';
import type { Config } from '../config.ts';
import { taskQueues } from '../protocol/task-queues.ts';
import { CLOSING_MS } from '../runtime/process.ts';

interface Common {
  config: Config;
  connection: NativeConnection;
}

export interface WorkerDeps extends Common {
  activities: ReturnType<typeof createActivities>;
  workflowBundle: WorkflowBundleOption;
}

export interface RendererDeps extends Common {
  activities: ReturnType<typeof createRenderingActivities>;
}

/** Time after the grace period until running work is abandoned; the other half is for closing connections. */
const FORCE_MS = CLOSING_MS / 2;

/**
 * An acceptance holds a slot of both kinds until MongoDB has responded, and so does a refund. Each API process has at most
 * 50 acceptances of one account in progress, and each worker tries as many of its refunds, so an account whose balance is
 * locked leaves slots to others; the SDK's defaults, 40 and 100, would not. With 800 slots a burst takes twice as long,
 * because more tasks compete for the CPU.
 */
const SLOTS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentLocalActivityExecutions: 200,
} as const;

/** The default throttling, up to 12 s here, delays cancellations and the saving of an upstream's prediction id. */
const PROMPT_HEARTBEATS = { maxHeartbeatThrottleInterval: '1 s' } as const;

/** The workers of a worker process: `jobs` for workflows and activities on the stores, `webhooks` for deliveries. */
export async function createWorkers({ activities, workflowBundle, ...deps }: WorkerDeps): Promise<Worker[]> {
  const { config } = deps;
  const queues = taskQueues(config.temporal.taskQueuePrefix);
  return Promise.all([
    Worker.create({
      ...common(deps),
      ...SLOTS,
      taskQueue: queues.jobs,
      workflowBundle,
      activities: activities.jobs,
    }),
    Worker.create({
      ...common(deps),
      ...PROMPT_HEARTBEATS,
      taskQueue: queues.webhooks,
      activities: activities.webhooks,
      maxConcurrentActivityTaskExecutions: config.worker.webhookSlots,
    }),
  ]);
}

/** The worker of a renderer process: runs the activities of `images` and no workflows. */
export function createRenderer({ activities, ...deps }: RendererDeps): Promise<Worker> {
  const { config } = deps;
  return Worker.create({
    ...common(deps),
    ...PROMPT_HEARTBEATS,
    taskQueue: taskQueues(config.temporal.taskQueuePrefix).images,
    activities,
    maxConcurrentActivityTaskExecutions: config.worker.renderSlots,
  });
}

const common = ({ config, connection }: Common) =>
  ({
    connection,
    namespace: config.temporal.namespace,
    shutdownGraceTime: config.shutdownGraceMs,
    shutdownForceTime: config.shutdownGraceMs + FORCE_MS,
  }) satisfies Partial<WorkerOptions>;

/** Runs the workers until the signal, then lets running work finish within the grace period. */
export async function runWorkers(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
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
