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
import type { Activities, SweepBatch, WebhookNotice } from '../activities/activities.ts';
import { lostWebhookWorkflowId } from '../contract/workflow-ids.ts';
import { ACCOUNT_ID, type SweepCounts, type TaskQueues } from './messages.ts';
import { deliveryWorkflow } from './redelivery.ts';

/** Problems that are told of in full, so that what one run hands to the next stays small. */
const TOLD = 50;

/** Pieces one run does before a fresh one, with a short history, goes on. */
const PIECES_PER_RUN = 100;

/** Name of the error of @temporalio/common. */
const ALREADY_STARTED = 'WorkflowExecutionAlreadyStartedError';

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '2 m',
  // A cancelled sweep ends with its piece, so that the next one does not run beside it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
});

/** In this order: what is deleted is owed to the image store and Temporal before that is paid, and then no orphan. */
const STEPS: readonly (readonly [title: string, step: (after: string) => Promise<SweepBatch>])[] = [
  ['Refunding lost jobs', activities.refundLostJobs],
  ['Taking up lost webhooks', activities.takeUpLostWebhooks],
  ['Deleting expired jobs', activities.deleteExpiredJobs],
  ['Dropping the inputs of failed jobs', activities.dropFailedInputs],
  ['Deleting workflows of deleted jobs', activities.forgetWorkflows],
  ['Removing images', activities.removeOwedImages],
  ['Looking for orphaned inputs', activities.removeOrphanedInputs],
  ['Looking for orphaned results', activities.removeOrphanedResults],
];

interface Progress {
  step: number;
  after: string;
  counts: SweepCounts;
  problems: string[];
}

const START: Progress = {
  step: 0,
  after: '',
  counts: {
    ...{ refunded: 0, takenUp: 0, deleted: 0, forgotten: 0 },
    ...{ inputsDropped: 0, orphans: 0, removed: 0, unremoved: 0, failed: 0 },
  },
  problems: [],
};

/**
 * Applies the rules on retention, piece by piece. It may be ended at any moment: what is done stays done, and the next
 * sweep finds what is left. An item or a step that keeps failing is passed over; the sweep then fails at its end.
 */
export async function sweepWorkflow(queues: TaskQueues, progress: Progress = START): Promise<SweepCounts> {
  let { step, after } = progress;
  const counts = { ...START.counts, ...progress.counts };
  const problems = [...progress.problems];
  for (let pieces = 0; step < STEPS.length; pieces += 1) {
    if (pieces >= PIECES_PER_RUN || workflowInfo().continueAsNewSuggested)
      return continueAsNew<typeof sweepWorkflow>(queues, { step, after, counts, problems });
    const { next, webhooks } = await doPiece(step, after, counts, problems);
    await Promise.all(webhooks.map((notice) => see(notice, queues)));
    setCurrentDetails(summary(step, counts, problems));
    if (next === null) step += 1;
    after = next ?? '';
  }
  if (problems.length === 0) return counts;
  throw ApplicationFailure.create({
    message: problems.join('\n'),
    type: 'sweep_incomplete',
    nonRetryable: true,
    details: [counts],
  });
}

async function doPiece(step: number, after: string, counts: SweepCounts, problems: string[]) {
  const [title, run] = STEPS[step] ?? fail(step);
  try {
    const { next, counts: more, webhooks = [], problems: found = [] } = await run(after);
    for (const name of Object.keys(more) as (keyof SweepCounts)[]) counts[name] += more[name] ?? 0;
    const room = Math.max(0, TOLD - problems.length);
    problems.push(...found.slice(0, room).map((problem) => `${title}: ${problem}`));
    return { next, webhooks };
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    problems.push(`${title}: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { next: null, webhooks: [] };
  }
}

/** A lost webhook gets a workflow of its own, for it may take a day. Another sweep may have been faster. */
async function see(notice: WebhookNotice, queues: TaskQueues): Promise<void> {
  try {
    await startChild(deliveryWorkflow, {
      workflowId: lostWebhookWorkflowId(notice.deliveryId),
      args: [notice, queues],
      staticSummary: `webhook ${notice.deliveryId}`,
      typedSearchAttributes: [{ key: ACCOUNT_ID, value: notice.accountId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof Error && error.name === ALREADY_STARTED)) throw error;
  }
}

function summary(step: number, counts: SweepCounts, problems: readonly string[]): string {
  const [title] = STEPS[step] ?? fail(step);
  const { refunded, takenUp, deleted, forgotten, inputsDropped, orphans, removed, unremoved, failed } =
    counts;
  return [
    `${title}.`,
    `Jobs: ${refunded} refunded, ${deleted} deleted, ${inputsDropped} without their input now.`,
    `Webhooks: ${takenUp} taken up again. Workflows of deleted jobs: ${forgotten} deleted.`,
    `Images: ${removed} removed, ${unremoved} still owed, ${orphans} orphans among them.`,
    ...(failed === 0 ? [] : [`${failed} could not be seen to; the next sweep tries again.`]),
    ...problems,
  ].join('\n\n');
}

function fail(step: number): never {
  throw ApplicationFailure.nonRetryable(`There is no step ${step}.`);
}
