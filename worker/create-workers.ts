import { type NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { createActivities } from '../activities/activities.ts';
import type { Config } from '../config.ts';
import { taskQueues } from '../workflows/messages.ts';

export interface WorkerParts {
  config: Config;
  connection: NativeConnection;
  activities: ReturnType<typeof createActivities>;
  workflowBundle: WorkflowBundleOption;
}

/** One worker per task queue: jobs runs the workflows, images renders, webhooks delivers. */
export async function createWorkers(parts: WorkerParts): Promise<Worker[]> {
  const { config, connection, activities, workflowBundle } = parts;
  const queues = taskQueues(config.temporal.taskQueuePrefix);
  const common = {
    connection,
    namespace: config.temporal.namespace,
    shutdownGraceTime: config.worker.shutdownGraceMs,
    shutdownForceTime: config.worker.shutdownGraceMs + 2000,
  };
  return Promise.all([
    Worker.create({ ...common, taskQueue: queues.jobs, workflowBundle, activities: activities.jobs }),
    Worker.create({
      ...common,
      taskQueue: queues.images,
      activities: activities.images,
      maxConcurrentActivityTaskExecutions: config.worker.renderSlots,
      // A heartbeat brings back a cancel and keeps an upstream's prediction id: 12 s, the default here, is too late.
      maxHeartbeatThrottleInterval: '1 s',
    }),
    Worker.create({
      ...common,
      taskQueue: queues.webhooks,
      activities: activities.webhooks,
      maxConcurrentActivityTaskExecutions: config.worker.webhookSlots,
      // The cancel of a delivery whose job was deleted comes back with a heartbeat.
      maxHeartbeatThrottleInterval: '1 s',
    }),
  ]);
}

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
