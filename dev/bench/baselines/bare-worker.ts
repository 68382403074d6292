import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { createLogger } from '../../../lib/process/log.ts';
import { shutdownSignal } from '../../../lib/process/process.ts';
import { taskQueues } from '../../../lib/protocol/task-queues.ts';
import { installRuntime } from '../../../lib/telemetry/temporal-logger.ts';
import { runWorkers } from '../../../worker/create-workers.ts';
import type { BareActivities } from './bare-messages.ts';

/** The worker of bare workflows: one process with a worker for each of the two queues. */
async function main(): Promise<void> {
  const signal = shutdownSignal();
  const config = loadConfig(environment());
  installRuntime(createLogger(config.log, 'bare-worker'));
  const connection = await NativeConnection.connect({ address: config.temporal.address });
  const workflowsPath = fileURLToPath(new URL('./bare-workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  const activities: BareActivities = { nothing: async () => {} };
  const common = { connection, namespace: config.temporal.namespace };
  const { jobs, images } = taskQueues(config.temporal.taskQueuePrefix);
  await runWorkers(
    [
      await Worker.create({ ...common, taskQueue: jobs, workflowBundle }),
      await Worker.create({
        ...common,
        taskQueue: images,
        activities,
        maxConcurrentActivityTaskExecutions: config.worker.renderSlots,
      }),
    ],
    signal,
  );
  await connection.close();
}

await main();
