import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { assertPolled } from '../servers/assert-polled.ts';
import { acceptBare, bareWorkflow } from './bare-workflow.ts';
import type { BenchEnvironment } from './environment.ts';
import { startMeasured } from './processes.ts';

/** Starts a worker for bare workflows on queues of its own. `updateWithStart` starts one. */
export async function startBare(environment: BenchEnvironment) {
  const { env, config, temporal } = environment;
  const prefix = `bare-${config.temporal.taskQueuePrefix}`;
  const { jobs: queue, images } = taskQueues(prefix);
  const own = { ...environment, env: { ...env, TASK_QUEUE_PREFIX: prefix } };
  const worker = await startMeasured(own, 'dev/bench/bare-worker', () =>
    assertPolled({ ...config.temporal, taskQueuePrefix: prefix }, 'jobs'),
  );
  return {
    worker,
    queue,
    /** Update-with-Start with the policies and the deadline of the service. */
    async updateWithStart(): Promise<void> {
      const startWorkflowOperation = new WithStartWorkflowOperation(bareWorkflow, {
        workflowId: `bare:${randomUUID()}`,
        taskQueue: queue,
        args: [images],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      });
      await temporal.withDeadline(Date.now() + config.api.acceptTimeoutMs, () =>
        temporal.workflow.executeUpdateWithStart(acceptBare, {
          startWorkflowOperation,
          updateId: randomUUID(),
        }),
      );
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
