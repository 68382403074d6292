import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { createRetentionActivities, RetentionOptions } from '../activities/retention/steps.ts';
import { FAILURES } from '../lib/protocol/failure-types.ts';
import type { RetentionCounts } from '../lib/protocol/retention.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import { type RunProgress, runSteps, type Step } from './steps.ts';

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '2 m',
  // On cancellation, wait for the batch to end, so that it does not overlap with the next retention
  // run.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
});

/** An account may have millions of rows. */
const { auditLedgers } = proxyActivities<Activities>({
  startToCloseTimeout: '6 h',
  heartbeatTimeout: '2 m',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
});

/** Name of the activity that runs the step. */
export type StepName = keyof ReturnType<typeof createRetentionActivities>;

/**
 * Order matters. Deleting jobs and inputs enqueues images and workflow histories, which later steps
 * delete. The queued images come before the orphans, because an image that is still queued would be
 * counted as an orphan.
 */
export const RETENTION_STEPS: readonly Step<StepName>[] = [
  { name: 'deleteExpiredJobs', title: 'Deleting expired jobs' },
  { name: 'dropFailedInputs', title: 'Deleting inputs of failed jobs' },
  { name: 'deleteHistories', title: 'Deleting workflows of deleted jobs' },
  { name: 'removeQueuedImages', title: 'Removing queued images' },
  { name: 'removeOrphanedInputs', title: 'Removing orphaned inputs' },
  { name: 'removeOrphanedResults', title: 'Removing orphaned results' },
  { name: 'auditLedgers', title: 'Auditing the ledgers' },
];

export type RetentionProgress = RunProgress<StepName, RetentionCounts>;

const START: RetentionProgress = {
  step: null,
  after: '',
  counts: {
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
 * Applies the retention rules in batches. It can be stopped at any time: finished batches stay
 * done, and the next retention run does the rest. An item or step that keeps failing is skipped,
 * and the workflow then fails at its end.
 */
export function retentionWorkflow(
  queues: TaskQueues,
  progress?: RetentionProgress,
  options?: RetentionOptions,
): Promise<RetentionCounts> {
  return runRetention(RETENTION_STEPS, queues, progress, options);
}

export const runRetention = (
  steps: readonly Step<StepName>[],
  queues: TaskQueues,
  progress = START,
  options: RetentionOptions = {},
): Promise<RetentionCounts> =>
  runSteps({
    steps,
    progress: { ...progress, counts: { ...START.counts, ...progress.counts } },
    runBatch: (name, after) =>
      name === 'auditLedgers' ? auditLedgers(after) : activities[name](after, options),
    continueAsNew: (next) => continueAsNew<typeof retentionWorkflow>(queues, next, options),
    paragraphs,
    failure: FAILURES.retention_incomplete,
  });

function paragraphs(counts: RetentionCounts): string[] {
  const { deleted, historiesDeleted, inputsDropped, orphans, removed, unremoved, failed } = counts;
  return [
    `Jobs: ${deleted} deleted. Inputs of failed jobs: ${inputsDropped} deleted.`,
    `Workflows of deleted jobs: ${historiesDeleted} deleted.`,
    `Images: ${removed} removed, ${unremoved} still queued, ${orphans} orphans among them.`,
    ...(failed === 0 ? [] : [`${failed} could not be processed; the next retention run retries them.`]),
  ];
}
