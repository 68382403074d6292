import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { CANCELLED_JOB, TIMED_OUT_JOB } from '../lib/domain/job-errors.ts';
import { escaped } from '../lib/domain/markdown.ts';
import type { Acceptance, JobFailure } from '../lib/domain/records.ts';
import { FAILURES } from '../lib/protocol/failure-types.ts';
import {
  acceptanceLeftMs,
  acceptUpdate,
  type JobInput,
  type JobResult,
  stopSignal,
} from '../lib/protocol/job.ts';
import type { JobEnd, RenderReport } from '../lib/protocol/render.ts';
import { JOB_STATUS } from '../lib/protocol/search-attributes.ts';
import { jobDetails, resultFacts, type Shown, workFacts } from './job-details.ts';
import { notify } from './notify.ts';

const FOREVER = { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' } as const;

// No schedule-to-close timeout: an attempt that starts too late returns `unavailable` instead. The
// SDK cannot replay a history in which the local activity timed out while the update was waiting.
const { acceptJob } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '1 s' },
});
// NotFound: the job was voided because its request was answered 5xx. There is nothing left to do.
const { completeJob, failJob } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '6 s',
  // A longer pause is a timer, which occupies no local activity of the worker.
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
 * Runs one job from its acceptance to its end. The workflow id is derived from the idempotency key,
 * if there is one. A cancellation stops the render or the delivery of the webhook; the signal
 * `stop` stops only the render. Charge, refund and the job's final state are always recorded.
 */
export function jobWorkflow(input: JobInput): Promise<JobResult> {
  const cancellable = CancellationScope.current();
  const rendering = new CancellationScope();
  setHandler(stopSignal, (jobId) => {
    if (jobId === input.draft.jobId) rendering.cancel();
  });
  return CancellationScope.nonCancellable(() => job(input, cancellable, rendering));
}

/** @param rendering runs the render; within `cancellable` */
async function job(
  input: JobInput,
  cancellable: CancellationScope,
  rendering: CancellationScope,
): Promise<JobResult> {
  const { accountId, jobId } = input.draft;
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
  const { status, webhook, overLimit, hasOpenCalls } = await renderAndEnd(input, rendering);
  // Concurrently: a webhook may take a day, and an upstream or MongoDB may not respond. A local
  // activity that does not respond delays the others by 2.4 s, the heartbeat of a workflow task.
  await Promise.all([
    hasOpenCalls && cancelOpenCalls(input),
    webhook !== null && notify(webhook, input.queues, cancellable),
    overLimit && evictSurplus(accountId),
  ]);
  return finish({ status, jobId });
}

/** Charges and records the job, unless its first workflow task ran too late. */
function accept(input: JobInput): Promise<Acceptance> {
  return acceptJob(input.draft, acceptanceLeftMs(input, workflowInfo().startTime.getTime(), Date.now()));
}

/** Renders the job and records its end. */
async function renderAndEnd(input: JobInput, rendering: CancellationScope): Promise<JobEnd> {
  const { jobId } = input.draft;
  try {
    const { end, ...result } = await rendering.run(() => render(input));
    const completed = end ?? (await completeJob(jobId, result));
    const headline = `Completed in ${result.processingMs} ms`;
    const facts = resultFacts(result, completed.resultUrls);
    showEnd(input, completed, 'completed', { headline, facts });
    return completed;
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
    const { failure, attempts } = renderFailure(error);
    const failed = await failJob(jobId, failure);
    const { generator } = failure;
    const facts = [`error: ${escaped(failed.error ?? failure.error)}`, ...workFacts({ generator, attempts })];
    showEnd(input, failed, 'failed', { headline: 'Failed and refunded', facts });
    return failed;
  }
}

function render({ draft, plan, format, queues }: JobInput): Promise<RenderReport> {
  const { renderJob } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '10 m',
    // Outlasts an outage of MongoDB, S3 or the renderers; the activity marks final failures as
    // non-retryable.
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

/** Best effort: upstreams forget a task after half an hour. Never fails the workflow. */
async function cancelOpenCalls({ draft, queues }: JobInput): Promise<void> {
  const { cancelCalls } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '1 m',
    scheduleToCloseTimeout: '30 m',
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
    // Ahead of renders, which may occupy a renderer for minutes.
    priority: { priorityKey: 1 },
  });
  await cancelCalls(draft.jobId).catch((error: unknown) => {
    if (!(error instanceof ActivityFailure)) throw error;
  });
}

/**
 * Shows the end of the job in the Temporal UI. Its status differs from `expected` when the job had
 * already ended, before a reset or a cancellation. An upsert of search attributes costs Temporal as
 * much as an activity. So a completed job without a webhook gets none: the status of its workflow
 * shows the same.
 */
function showEnd(
  input: JobInput,
  { status, webhook }: JobEnd,
  expected: JobEnd['status'],
  shown: Shown,
): void {
  if (status === 'failed' || webhook !== null) upsertSearchAttributes([{ key: JOB_STATUS, value: status }]);
  const endedBefore = { headline: `The job had already ended as ${status}` };
  setCurrentDetails(jobDetails(input, status === expected ? shown : endedBefore));
}

/**
 * What to record on the failed job: the details of the render's failure, its cancellation, or that
 * the job's time is up.
 */
function renderFailure(error: unknown): { failure: JobFailure; attempts?: number | undefined } {
  if (isCancellation(error)) return { failure: { ...CANCELLED_JOB, processingMs: null } };
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const [reported, shown] =
    cause instanceof ApplicationFailure
      ? ((cause.details ?? []) as [JobFailure?, Pick<RenderReport, 'attempts'>?])
      : [];
  const failure = reported ?? { ...TIMED_OUT_JOB, processingMs: null };
  return { failure, attempts: shown?.attempts };
}

/**
 * Deletes the completed jobs over the account's limit. One batch suffices, except after many
 * virtual staging jobs, which do not apply the limit. Never fails the workflow.
 */
async function evictSurplus(accountId: string): Promise<void> {
  try {
    let hasMore = true;
    while (hasMore) hasMore = await enforceJobLimit(accountId);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
  }
}

/** Ends the workflow once every request has the outcome of the acceptance. */
const finish = (result: JobResult): JobResult | Promise<JobResult> =>
  allHandlersFinished() ? result : condition(allHandlersFinished).then(() => result);
