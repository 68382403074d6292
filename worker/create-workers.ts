import {
  type NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { createActivities } from '../activities/activities.ts';
import type { createRenderingActivities } from '../activities/rendering.ts';
import type { Config } from '../config.ts';
import { CLOSING_MS } from '../runtime.ts';
import { taskQueues } from '../workflows/messages.ts';

interface Common {
  config: Config;
  connection: NativeConnection;
}

export interface WorkerParts extends Common {
  activities: ReturnType<typeof createActivities>;
  workflowBundle: WorkflowBundleOption;
}

export interface RendererParts extends Common {
  activities: ReturnType<typeof createRenderingActivities>;
}

/** From the end of the grace until work is let go of; the other half is for closing connections. */
const FORCE_MS = CLOSING_MS / 2;

/**
 * An acceptance holds a slot of both kinds until MongoDB has answered, and so does a refund. Each API process has 50
 * acceptances of one account under way at the most, and each worker tries as many of its refunds, so an account whose balance is locked leaves slots to others; the SDK's defaults, 40 and 100, would leave
 * none. With 800 a burst takes twice as long as with these, as more tasks compete for the processor.
 */
const ACCEPTING = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentLocalActivityExecutions: 200,
} as const;

/** A heartbeat brings back a cancel and keeps an upstream's prediction id: 12 s, the default here, is too late. */
const PROMPT_HEARTBEATS = { maxHeartbeatThrottleInterval: '1 s' } as const;

/** The workers of a worker process: `jobs` runs the workflows and what needs MongoDB alone, `webhooks` delivers. */
export async function createWorkers({
  activities,
  workflowBundle,
  ...parts
}: WorkerParts): Promise<Worker[]> {
  const { config } = parts;
  const queues = taskQueues(config.temporal.taskQueuePrefix);
  return Promise.all([
    Worker.create({
      ...common(parts),
      ...ACCEPTING,
      taskQueue: queues.jobs,
      workflowBundle,
      activities: activities.jobs,
    }),
    Worker.create({
      ...common(parts),
      ...PROMPT_HEARTBEATS,
      taskQueue: queues.webhooks,
      activities: activities.webhooks,
      maxConcurrentActivityTaskExecutions: config.worker.webhookSlots,
    }),
  ]);
}

/** The worker of a renderer process: it takes activities of `images` and never runs a workflow. */
export function createRenderer({ activities, ...parts }: RendererParts): Promise<Worker> {
  const { config } = parts;
  return Worker.create({
    ...common(parts),
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

/** Runs the workers until the signal, then lets running work finish within the grace time. */
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
