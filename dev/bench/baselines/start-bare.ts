import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { taskQueues } from '../../../lib/protocol/task-queues.ts';
import { assertPolled } from '../../servers/assert-polled.ts';
import type { BenchEnvironment } from '../environment.ts';
import { startProcess } from '../measured-process.ts';
import { acceptBare, BARE_WORKFLOW } from './bare-messages.ts';

/** Starts a worker for bare workflows on queues of its own. `updateWithStart` starts one. */
export async function startBare({ env, config, temporal, logFile }: BenchEnvironment) {
  const prefix = `bare-${config.temporal.taskQueuePrefix}`;
  const { jobs, images } = taskQueues(prefix);
  const worker = await startProcess({
    module: 'dev/bench/baselines/bare-worker',
    env: { ...env, TASK_QUEUE_PREFIX: prefix },
    logFile: logFile('bare-worker'),
    ready: () => assertPolled({ ...config.temporal, taskQueuePrefix: prefix }, 'jobs'),
  });
  return {
    worker,
    queue: jobs,
    /** Update-with-Start with the policies and the deadline of the service. */
    async updateWithStart(): Promise<void> {
      const startWorkflowOperation = new WithStartWorkflowOperation(BARE_WORKFLOW, {
        workflowId: `bare:${randomUUID()}`,
        taskQueue: jobs,
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
