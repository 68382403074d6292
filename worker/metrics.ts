import type { Client } from '@temporalio/client';
import type { ImageTasks } from '../lib/generators/tasks.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import type { HoldReason, Stores } from '../lib/stores/stores.ts';
import { type GaugeSample, gauge, type Metrics, sampleLimits } from '../lib/telemetry/metrics/metrics.ts';

const HOLD_REASONS: readonly HoldReason[] = ['installation', 'inputs', 'results'];

/**
 * Has read from MongoDB for each scrape: the age of the oldest job in progress, how long webhooks
 * and removals have been waiting, what holds removals back, and what the last audit of all ledgers
 * has found.
 */
export function sampleStores(
  metrics: Metrics,
  { deliveries, ledger, removals, retention, settings }: Stores,
): void {
  metrics.sample(async () => [
    gauge('imagejob_job_oldest_processing_seconds', {}, ageOf(await retention.oldestProcessing())),
  ]);
  metrics.sample(async () => [
    gauge('imagejob_webhook_oldest_pending_seconds', {}, ageOf(await deliveries.oldestPending())),
  ]);
  metrics.sample(async () => {
    const held = await settings.removalsHeld();
    return HOLD_REASONS.map((reason) =>
      gauge('imagejob_removals_held', { reason }, held.includes(reason) ? 1 : 0),
    );
  });
  metrics.sample(async () => {
    const { count, oldest } = await removals.backlog();
    return [
      gauge('imagejob_removals_pending', {}, count),
      gauge('imagejob_removals_oldest_seconds', {}, ageOf(oldest)),
    ];
  });
  metrics.sample(async () => {
    const last = await ledger.lastAudit();
    return [
      gauge('imagejob_ledger_breaches', {}, last.breaches),
      gauge('imagejob_ledger_audit_age_seconds', {}, ageOf(last.at)),
    ];
  });
}

/** In seconds; never negative, although another machine's clock may be ahead. */
const ageOf = (since: Date | null) => (since === null ? 0 : Math.max(0, Date.now() - since.getTime()) / 1000);

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

/**
 * Has read for each scrape what waits in each task queue. A queue that cannot be read is left out.
 */
export function sampleQueues(metrics: Metrics, client: Client, queues: TaskQueues): void {
  for (const queue of Object.keys(TYPES) as (keyof TaskQueues)[])
    metrics.sample(async (): Promise<GaugeSample[]> => {
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

/** Has read for each scrape how busy the image processes are, and how many images wait for them. */
export function sampleImageTasks(metrics: Metrics, { limits }: Pick<ImageTasks, 'limits'>): void {
  const { processes, memory } = limits;
  sampleLimits(metrics, { 'image-processes': processes, 'image-memory': memory });
  metrics.sample(() => [
    gauge('imagejob_image_processes_busy', {}, processes.held - memory.waiting),
    gauge('imagejob_image_tasks_waiting', { resource: 'process' }, processes.waiting),
    gauge('imagejob_image_tasks_waiting', { resource: 'memory' }, memory.waiting),
    gauge('imagejob_image_memory_bytes', {}, memory.held),
  ]);
}
