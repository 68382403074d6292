import type { Client } from '@temporalio/client';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import { gauge, type Metrics, type Sample } from '../lib/telemetry/metrics/metrics.ts';

/** temporal.api.enums.v1.TaskQueueType */
const WORKFLOW = 1;
const ACTIVITY = 2;

const TYPES = {
  jobs: [WORKFLOW, ACTIVITY],
  images: [ACTIVITY],
  webhooks: [ACTIVITY],
} as const satisfies Record<keyof TaskQueues, readonly number[]>;

const CALL_MS = 3000;

interface Backlog {
  ageSeconds: number;
  tasks: number;
}

/** Every scrape says what waits in each task queue. A queue that cannot be read is left out. */
export function sampleQueues(metrics: Metrics, client: Client, queues: TaskQueues): void {
  for (const queue of Object.keys(TYPES) as (keyof TaskQueues)[])
    metrics.sample(async (): Promise<Sample[]> => {
      const kinds = await Promise.all(TYPES[queue].map((type) => backlogOf(client, queues[queue], type)));
      return [
        gauge('imagejob_queue_age_seconds', { queue }, Math.max(...kinds.map((kind) => kind.ageSeconds))),
        gauge(
          'imagejob_queue_tasks',
          { queue },
          kinds.reduce((sum, { tasks }) => sum + tasks, 0),
        ),
      ];
    });
}

async function backlogOf(client: Client, name: string, taskQueueType: 1 | 2): Promise<Backlog> {
  const { namespace } = client.options;
  const { stats } = await client.withDeadline(Date.now() + CALL_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType,
      reportStats: true,
    }),
  );
  const { seconds, nanos } = stats?.approximateBacklogAge ?? {};
  return {
    ageSeconds: Number(seconds ?? 0) + (nanos ?? 0) / 1e9,
    tasks: Number(stats?.approximateBacklogCount ?? 0),
  };
}
