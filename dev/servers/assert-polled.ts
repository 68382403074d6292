import { Connection } from '@temporalio/client';
import type { Config } from '../../lib/process/config/config.ts';
import { connectionOptions } from '../../lib/process/temporal-client.ts';
import { type TaskQueues, taskQueues } from '../../lib/protocol/task-queues.ts';

/** Task queue types of temporal.api.enums.v1.TaskQueueType. */
const QUEUE_TYPE = { jobs: 1, images: 2, webhooks: 2 } as const satisfies Record<keyof TaskQueues, number>;

/** @throws {Error} unless a worker polls the task queue, with the prefix of `temporal` */
export async function assertPolled(temporal: Config['temporal'], queue: keyof TaskQueues): Promise<void> {
  const { namespace, taskQueuePrefix } = temporal;
  const connection = await Connection.connect({ ...connectionOptions(temporal), connectTimeout: '2s' });
  try {
    const name = taskQueues(taskQueuePrefix)[queue];
    const { pollers } = await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: QUEUE_TYPE[queue],
      }),
    );
    if (!pollers?.length) throw new Error(`no worker polls ${name}`);
  } finally {
    await connection.close();
  }
}
