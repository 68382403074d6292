import {
  ActivityCancellationType,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { createRetentionActivities, RetentionBatch } from '../activities/retention/steps.ts';
import type { PendingDelivery } from '../activities/webhooks/pending-delivery.ts';
import { FAILURES } from '../protocol/failure-types.ts';
import { escaped } from '../protocol/markdown.ts';
import type { RetentionCounts } from '../protocol/retention.ts';
import { ACCOUNT_ID } from '../protocol/search-attributes.ts';
import type { TaskQueues } from '../protocol/task-queues.ts';
import { lostWebhookWorkflowId } from '../protocol/workflow-ids.ts';
import { deliveryWorkflow } from './redelivery.ts';

/** Item failures reported in full. Further ones are only counted, which keeps the input of continue-as-new small. */
const MAX_PROBLEMS = 50;

/** Batches before the workflow continues as new, which keeps its history short. */
const MAX_BATCHES = 100;

/** An error of @temporalio/common, which @temporalio/workflow does not export. */
const ALREADY_STARTED = 'WorkflowExecutionAlreadyStartedError';

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '2 m',
  // On cancellation, wait for the batch to end, so that it does not overlap with the next retention run.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
});

/** Name of the activity that runs the step. */
export type StepName = keyof ReturnType<typeof createRetentionActivities>;

export interface Step {
  name: StepName;
  title: string;
}

/**
 * Order matters. Deleting jobs and dropping inputs enqueues images and workflow histories, which later steps delete;
 * orphans come last, because an image that is still queued would be counted as one.
 */
export const STEPS: readonly Step[] = [
  { name: 'refundLostJobs', title: 'Refunding lost jobs' },
  { name: 'resumeLostWebhooks', title: 'Resuming lost webhooks' },
  { name: 'deleteExpiredJobs', title: 'Deleting expired jobs' },
  { name: 'dropFailedInputs', title: 'Deleting inputs of failed jobs' },
  { name: 'deleteHistories', title: 'Deleting workflows of deleted jobs' },
  { name: 'removeQueuedImages', title: 'Removing queued images' },
  { name: 'removeOrphanedInputs', title: 'Removing orphaned inputs' },
  { name: 'removeOrphanedResults', title: 'Removing orphaned results' },
];

/** Input of continue-as-new. It names the step, so that steps can be added while a retention run is in progress. */
export interface Progress {
  /** Step to resume; null to start with the first one. */
  step: StepName | null;
  /** Cursor within that step; '' to start it. */
  after: string;
  counts: RetentionCounts;
  problems: string[];
}

const START: Progress = {
  step: null,
  after: '',
  counts: {
    refunded: 0,
    webhooksResumed: 0,
    deleted: 0,
    historiesDeleted: 0,
    inputsDropped: 0,
    orphans: 0,
    removed: 0,
    unremoved: 0,
    failed: 0,
  },
  problems: [],
};

/**
 * Applies the retention rules in batches. It can be stopped at any time: finished batches stay done, and the next
 * retention run does the rest. An item or step that keeps failing is skipped, and the workflow then fails at its end.
 */
export function retentionWorkflow(queues: TaskQueues, progress?: Progress): Promise<RetentionCounts> {
  return runSteps(STEPS, queues, progress);
}

export async function runSteps(
  steps: readonly Step[],
  queues: TaskQueues,
  progress = START,
): Promise<RetentionCounts> {
  const counts = { ...START.counts, ...progress.counts };
  const problems = [...progress.problems];
  let batches = 0;
  for (const step of remaining(steps, progress.step)) {
    let after: string | null = step.name === progress.step ? progress.after : '';
    while (after !== null) {
      if (batches >= MAX_BATCHES || workflowInfo().continueAsNewSuggested)
        return continueAsNew<typeof retentionWorkflow>(queues, { step: step.name, after, counts, problems });
      batches += 1;
      const { next, webhooks } = await runBatch(step, after, counts, problems);
      await Promise.all(webhooks.map((delivery) => startDelivery(delivery, queues)));
      setCurrentDetails(summary(step, counts, problems));
      after = next;
    }
  }
  if (problems.length === 0) return counts;
  throw ApplicationFailure.create({
    message: problems.join('\n'),
    type: FAILURES.retention_incomplete.type,
    nonRetryable: true,
    details: [counts],
  });
}

/** The named step and those after it. */
function remaining(steps: readonly Step[], name: StepName | null): readonly Step[] {
  if (name === null) return steps;
  const index = steps.findIndex((step) => step.name === name);
  if (index >= 0) return steps.slice(index);
  const message = `There is no retention step "${name}". Start the retention workflow again.`;
  throw ApplicationFailure.nonRetryable(message, FAILURES.unknown_step.type);
}

/** Runs one batch and adds to `counts` and `problems`. A step whose activity fails is skipped. */
async function runBatch(
  { name, title }: Step,
  after: string,
  counts: RetentionCounts,
  problems: string[],
): Promise<Required<Pick<RetentionBatch, 'next' | 'webhooks'>>> {
  try {
    const batch = await activities[name](after);
    for (const key of Object.keys(batch.counts) as (keyof RetentionCounts)[])
      counts[key] += batch.counts[key] ?? 0;
    const room = Math.max(0, MAX_PROBLEMS - problems.length);
    problems.push(...(batch.problems ?? []).slice(0, room).map((problem) => `${title}: ${problem}`));
    return { next: batch.next, webhooks: batch.webhooks ?? [] };
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    problems.push(`${title}: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { next: null, webhooks: [] };
  }
}

/** Delivers in a workflow of its own, as this may take a day. Another retention run may already have started it. */
async function startDelivery(delivery: PendingDelivery, queues: TaskQueues): Promise<void> {
  try {
    await startChild(deliveryWorkflow, {
      workflowId: lostWebhookWorkflowId(delivery.deliveryId),
      args: [delivery, queues],
      staticSummary: `webhook ${delivery.deliveryId}`,
      typedSearchAttributes: [{ key: ACCOUNT_ID, value: delivery.accountId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof Error && error.name === ALREADY_STARTED)) throw error;
  }
}

function summary({ title }: Step, counts: RetentionCounts, problems: readonly string[]): string {
  const {
    refunded,
    webhooksResumed,
    deleted,
    historiesDeleted,
    inputsDropped,
    orphans,
    removed,
    unremoved,
    failed,
  } = counts;
  return [
    `${title}.`,
    `Jobs: ${refunded} refunded, ${deleted} deleted. Inputs of failed jobs: ${inputsDropped} deleted.`,
    `Webhooks: ${webhooksResumed} resumed. Workflows of deleted jobs: ${historiesDeleted} deleted.`,
    `Images: ${removed} removed, ${unremoved} still queued, ${orphans} orphans among them.`,
    ...(failed === 0 ? [] : [`${failed} could not be processed; the next retention run retries them.`]),
    ...problems.map(escaped),
  ].join('\n\n');
}
