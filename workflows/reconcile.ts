import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { AbandonedJob } from '../activities/reconcile/lost-jobs.ts';
import type { Batch } from '../activities/retention/page.ts';
import { escaped } from '../lib/domain/markdown.ts';
import { FAILURES } from '../lib/protocol/failure-types.ts';
import type { ReconcileCounts, ReconcileInput } from '../lib/protocol/reconcile.ts';
import { ACCOUNT_ID } from '../lib/protocol/search-attributes.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import type { PendingDelivery } from '../lib/protocol/webhooks.ts';
import { lostWebhookWorkflowId } from '../lib/protocol/workflow-ids.ts';
import { deliveryWorkflow } from './redelivery.ts';
import { orProblem, type RunProgress, runSteps, type Step, type Tally } from './steps.ts';

/** An error of @temporalio/common, which @temporalio/workflow does not export. */
const ALREADY_STARTED = 'WorkflowExecutionAlreadyStartedError';

/**
 * Lost jobs refunded by one activity, and by one run, whose history contains their ids. The next
 * run finds the rest.
 */
const REFUNDS = 100;
const MOST_REFUNDS = 10_000;

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '2 m',
  // On cancellation, wait for the batch to end, so that it does not overlap with the next run.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 6 },
});

const STEPS = [
  { name: 'resumeLostWebhooks', title: 'Resuming lost webhooks' },
  { name: 'deleteJobsOfClosedAccounts', title: 'Deleting jobs of closed accounts' },
  // Last: while upstreams do not respond, it may take up the rest of a run.
  { name: 'findOpenCalls', title: 'Cancelling open calls of ended jobs' },
] as const satisfies readonly Step<string>[];
type StepName = (typeof STEPS)[number]['name'];

export type ReconcileProgress = RunProgress<StepName, ReconcileCounts>;

const nothingDone = (): Tally<ReconcileCounts> => ({
  counts: {
    checked: 0,
    refunded: 0,
    webhooksResumed: 0,
    callsCancelled: 0,
    callsLeft: 0,
    deleted: 0,
    failed: 0,
  },
  problems: [],
});

/**
 * Finishes what a lost workflow, a killed process or an interrupted command has left undone. It can
 * be stopped at any time, and the next run does the rest. It stops before its first change when the
 * lost jobs are implausibly many.
 */
export async function reconcileWorkflow(
  input: ReconcileInput,
  progress?: ReconcileProgress,
): Promise<ReconcileCounts> {
  const { queues } = input;
  return runSteps({
    steps: STEPS,
    progress: progress ?? { step: null, after: '', ...(await refundAllLost(input)) },
    runBatch: (name, after) => runBatch(name, after, queues),
    continueAsNew: (next) => continueAsNew<typeof reconcileWorkflow>(input, next),
    paragraphs,
    failure: FAILURES.reconcile_incomplete,
  });
}

/**
 * @throws ApplicationFailure `reconcile_stopped`, unless the operator has confirmed that the jobs
 * are lost
 */
async function refundAllLost({ queues, confirmed }: ReconcileInput): Promise<Tally<ReconcileCounts>> {
  const tally = nothingDone();
  const { lost, ...found } = await findAllLost(tally);
  if (lost.length > 0 && !confirmed) {
    const jobs = { checked: tally.counts.checked, lost: lost.length, ...found };
    const problem = await activities.implausibleLoss(jobs);
    if (problem !== null) {
      setCurrentDetails(escaped(problem));
      throw ApplicationFailure.nonRetryable(problem, FAILURES.reconcile_stopped.type, tally.counts);
    }
  }
  const due = lost.slice(0, MOST_REFUNDS);
  while (due.length > 0) {
    const jobs = due.slice(0, REFUNDS);
    const refunded = await orProblem(tally, 'Refunding lost jobs', () => activities.refundLostJobs(jobs));
    await startDeliveries(refunded?.webhooks ?? [], queues);
    due.splice(0, refunded?.processed ?? REFUNDS);
  }
  return tally;
}

async function findAllLost(tally: Tally<ReconcileCounts>) {
  const all = { lost: [] as AbandonedJob[], known: 0, completed: 0 };
  let after: string | null = '';
  while (after !== null) {
    const cursor: string = after;
    const found = await orProblem(tally, 'Finding lost jobs', () => activities.findLostJobs(cursor));
    all.lost.push(...(found?.lost ?? []));
    all.known += found?.known ?? 0;
    all.completed += found?.completed ?? 0;
    after = found?.next ?? null;
  }
  return all;
}

async function runBatch(name: StepName, after: string, queues: TaskQueues): Promise<Batch<ReconcileCounts>> {
  if (name === 'resumeLostWebhooks') {
    const { webhooks, ...batch } = await activities.resumeLostWebhooks(after);
    await startDeliveries(webhooks, queues);
    return batch;
  }
  if (name !== 'findOpenCalls') return activities[name](after);
  const { jobIds, next } = await activities.findOpenCalls(after);
  const ends = await Promise.all(jobIds.map((jobId) => cancelOpenCalls(jobId, queues)));
  const callsCancelled = ends.filter((end) => end === 'cancelled').length;
  const counts = { callsCancelled, callsLeft: ends.length - callsCancelled };
  // Without a renderer, every further call would wait in vain.
  return { next: ends.includes('no renderer') ? null : next, counts };
}

/** Best effort: an upstream that is down must not fail the run. The next run tries again. */
async function cancelOpenCalls(
  jobId: string,
  { images }: TaskQueues,
): Promise<'cancelled' | 'left' | 'no renderer'> {
  const { cancelCalls } = proxyActivities<Activities>({
    taskQueue: images,
    scheduleToStartTimeout: '1 m',
    startToCloseTimeout: '30 s',
    retry: { maximumAttempts: 1 },
    // Ahead of renders, which may occupy a renderer for minutes.
    priority: { priorityKey: 1 },
  });
  try {
    await cancelCalls(jobId);
    return 'cancelled';
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const isUnstarted = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
    return isUnstarted ? 'no renderer' : 'left';
  }
}

const startDeliveries = (deliveries: readonly PendingDelivery[], queues: TaskQueues) =>
  Promise.all(deliveries.map((delivery) => startDelivery(delivery, queues)));

/**
 * Delivers in a separate workflow, because this may take a day. Another run may already have
 * started it.
 */
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

function paragraphs(counts: ReconcileCounts): string[] {
  const { checked, refunded, webhooksResumed, callsCancelled, callsLeft, deleted, failed } = counts;
  return [
    `Jobs in progress: ${checked} checked, ${refunded} refunded. Jobs of closed accounts: ${deleted} deleted.`,
    `Webhooks: ${webhooksResumed} resumed.`,
    `Ended jobs with open calls: ${callsCancelled} cancelled, ${callsLeft} left.`,
    ...(failed === 0 ? [] : [`${failed} could not be processed; the next run retries them.`]),
  ];
}
