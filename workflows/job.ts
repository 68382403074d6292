import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { CANCELLED, TIMED_OUT } from '../lib/domain/job-errors.ts';
import { escaped } from '../lib/domain/markdown.ts';
import type { JobFailure } from '../lib/domain/records.ts';
import { FAILURES } from '../lib/protocol/failure-types.ts';
import type { AcceptanceOutcome } from '../lib/protocol/job.ts';
import {
  acceptanceLeftMs,
  acceptUpdate,
  type JobInput,
  type JobOutcome,
  stopSignal,
} from '../lib/protocol/job.ts';
import type { JobEnd, RenderReport } from '../lib/protocol/render.ts';
import { JOB_STATUS } from '../lib/protocol/search-attributes.ts';
import { jobDetails, resultFacts, type Shown, workFacts } from './job-details.ts';
import { notify } from './notify.ts';

const FOREVER = { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' } as const;

// No schedule-to-close timeout: an attempt that starts too late returns `unavailable` instead. The SDK cannot replay a
// history in which the local activity timed out while the update was waiting.
const { acceptJob } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '1 s' },
});
// NotFound: the job was voided because its request was answered 5xx. There is nothing left to do.
const { completeJob, failJob } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '6 s',
  // A longer pause is a timer, and holds no slot of the worker.
  localRetryThreshold: '1 s',
  retry: { ...FOREVER, nonRetryableErrorTypes: [FAILURES.NotFound.type] },
});
const { enforceJobLimit } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '6 s',
  localRetryThreshold: '1 s',
  // About half an hour: the next job of the account that completes applies the limit again.
  retry: { ...FOREVER, maximumAttempts: 60 },
});

/**
 * Runs one job from acceptance to its end; the workflow id is derived from the idempotency key, if there is one. A
 * cancellation stops the render or the webhook delivery, the signal `stop` only the render. Charge, refund and the job's final state are always recorded.
 */
export function jobWorkflow(input: JobInput): Promise<JobOutcome> {
  const cancellable = CancellationScope.current();
  const rendering = new CancellationScope();
  // A worker of a version without this handler may have gone on after the signal, and one that did not look at the id may
  // have stopped; then a replay has to, too.
  setHandler(stopSignal, (jobId = input.draft.jobId) => {
    if (jobId !== input.draft.jobId && patched('stop-names-its-job')) return;
    if (patched('stop-signal')) rendering.cancel();
  });
  return CancellationScope.nonCancellable(() => job(input, cancellable, rendering));
}

/** @param rendering runs the render; within `cancellable` */
async function job(
  input: JobInput,
  cancellable: CancellationScope,
  rendering: CancellationScope,
): Promise<JobOutcome> {
  const { draft } = input;
  const accepting = accept(input);
  setHandler(acceptUpdate, () => accepting);
  const acceptance = await accepting;

  if (acceptance.outcome === 'existing') return finish({ status: 'existing', jobId: acceptance.jobId });
  if (acceptance.outcome !== 'accepted') {
    await condition(allHandlersFinished);
    const { outcome } = acceptance;
    setCurrentDetails(jobDetails(input, { headline: `Not accepted, not charged: ${escaped(outcome)}` }));
    throw ApplicationFailure.nonRetryable(`The job was not accepted: ${outcome}.`, FAILURES[outcome].type);
  }

  setCurrentDetails(jobDetails(input, { headline: 'Accepted and charged; rendering' }));
  const { outcome, webhook, overLimit, hasOpenCalls } = await produce(input, rendering);
  // Concurrently: a webhook may take a day, and an upstream or a job to delete may not respond. A local activity that
  // does not respond delays the others by 2.4 s, the heartbeat of a workflow task.
  await Promise.all([
    hasOpenCalls && cancelOpenCalls(input),
    webhook !== null && notify(webhook, input.queues, cancellable),
    overLimit && evictSurplus(draft.accountId),
  ]);
  return finish(outcome);
}

/** Charges and records the job, unless its first workflow task ran too late. */
function accept(input: JobInput): Promise<AcceptanceOutcome> {
  return acceptJob(input.draft, acceptanceLeftMs(input, workflowInfo().startTime.getTime(), Date.now()));
}

async function produce(input: JobInput, rendering: CancellationScope): Promise<Ending> {
  const { jobId } = input.draft;
  try {
    const { end, ...result } = await rendering.run(() => render(input));
    const completed = end ?? (await completeJob(jobId, result));
    const headline = `Completed in ${result.processingMs} ms`;
    const facts = resultFacts(result, completed.resultUrls);
    return conclude(input, completed, 'completed', { headline, facts });
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
    const { failure, attempts } = renderFailure(error);
    const failed = await failJob(jobId, failure);
    const { generator } = failure;
    const facts = [`error: ${escaped(failed.error ?? failure.error)}`, ...workFacts({ generator, attempts })];
    return conclude(input, failed, 'failed', { headline: 'Failed and refunded', facts });
  }
}

function render({ draft, plan, format, queues }: JobInput): Promise<RenderReport> {
  const { renderJob } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '10 m',
    // Outlasts an outage of MongoDB, S3 or the renderers; the activity marks final failures as non-retryable.
    scheduleToCloseTimeout: '24 h',
    heartbeatTimeout: '15 s',
    // Wait for the attempt to stop, so that it writes nothing for a job that was refunded.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
  });
  const { jobId, accountId, input } = draft;
  const { runId, firstExecutionRunId } = workflowInfo();
  return renderJob({ jobId, accountId, plan, format, input, mayHaveEnded: runId !== firstExecutionRunId });
}

/** Best effort: after half an hour upstreams have forgotten a task. Never fails the workflow. */
async function cancelOpenCalls({ draft, queues }: JobInput): Promise<void> {
  const { cancelCalls } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '1 m',
    scheduleToCloseTimeout: '30 m',
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
    // Before renders, which may take all slots for minutes.
    priority: { priorityKey: 1 },
  });
  await cancelCalls(draft.jobId).catch((error: unknown) => {
    if (!(error instanceof ActivityFailure)) throw error;
  });
}

/** How the job ended, and what the workflow still has to do. */
type Ending = Pick<JobEnd, 'webhook' | 'overLimit' | 'hasOpenCalls'> & { outcome: JobOutcome };

/**
 * `end` differs from `expected` when the job had already ended, before a reset or a cancellation. An upsert of search
 * attributes costs Temporal as much as an activity: a completed job without a webhook does not need one, because its
 * workflow's own status shows the same.
 */
function conclude(input: JobInput, end: JobEnd, expected: JobEnd['status'], shown: Shown): Ending {
  const { status, webhook, overLimit, hasOpenCalls } = end;
  if (status === 'failed' || webhook !== null) upsertSearchAttributes([{ key: JOB_STATUS, value: status }]);
  const endedBefore = { headline: `The job had already ended as ${status}` };
  setCurrentDetails(jobDetails(input, status === expected ? shown : endedBefore));
  return { outcome: { status, jobId: input.draft.jobId }, webhook, overLimit, hasOpenCalls };
}

/** What to record on the failed job: the details of the activity's failure, or a general message after a timeout. */
function renderFailure(error: unknown): { failure: JobFailure; attempts?: number | undefined } {
  if (isCancellation(error)) return { failure: { ...CANCELLED, processingMs: null } };
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const [reported, shown] =
    cause instanceof ApplicationFailure
      ? ((cause.details ?? []) as [JobFailure?, Pick<RenderReport, 'attempts'>?])
      : [];
  const failure = reported ?? { ...TIMED_OUT, processingMs: null };
  return { failure, attempts: shown?.attempts };
}

/**
 * Takes more than one batch only after many virtual staging jobs, which do not apply the limit. Never fails the
 * workflow.
 */
async function evictSurplus(accountId: string): Promise<void> {
  try {
    let hasMore = true;
    while (hasMore) hasMore = await enforceJobLimit(accountId);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
  }
}

const finish = (outcome: JobOutcome): JobOutcome | Promise<JobOutcome> =>
  allHandlersFinished() ? outcome : condition(allHandlersFinished).then(() => outcome);
