import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { BareActivities } from './bare-workflow.ts';

// The worker of bare workflows: one process with a worker for each of the two queues. The SDK stops
// it on SIGTERM.

const { temporal, worker } = loadConfig(environment());
const { jobs, images } = taskQueues(temporal.taskQueuePrefix);
const connection = await NativeConnection.connect({ address: temporal.address });
const common = { connection, namespace: temporal.namespace };
const workflowsPath = join(import.meta.dirname, 'bare-workflow.ts');
const activities: BareActivities = { nothing: async () => {} };
const workers = [
  await Worker.create({ ...common, taskQueue: jobs, workflowsPath }),
  await Worker.create({
    ...common,
    taskQueue: images,
    activities,
    maxConcurrentActivityTaskExecutions: worker.renderSlots,
  }),
];
await Promise.all(workers.map((each) => each.run()));
await connection.close();
