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
import type {
  AcceptanceOutcome,
  Activities,
  JobEnd,
  JobFailure,
  RenderReport,
} from '../activities/activities.ts';
import { acceptUpdate, JOB_STATUS, type JobInput, type JobOutcome } from './messages.ts';
import { notify } from './notify.ts';

const FOREVER = { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' } as const;

// Without a time to end in: an attempt that begins too late says `unavailable`. An acceptance that ends by a time-out
// instead leaves a history which the SDK cannot replay while the update is waiting.
const { acceptJob } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '1 s' },
});
// A job that MongoDB no longer has was undone: its request was answered 5xx. There is nothing left to do for it.
const { completeJob, failJob, enforceJobLimit } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '6 s',
  // A longer pause is a timer, and holds no slot of the worker.
  localRetryThreshold: '1 s',
  retry: { ...FOREVER, nonRetryableErrorTypes: ['NotFound'] },
});

const REFUNDED = 'The charge was refunded.';

/**
 * One job, from its acceptance to its end. The workflow id is made from the idempotency key. An operator's cancel is
 * heeded while the picture is made and while a webhook is on its way; charge, refund and records are settled whatever happens.
 */
export function jobWorkflow(input: JobInput): Promise<JobOutcome> {
  const cancellable = CancellationScope.current();
  return CancellationScope.nonCancellable(() => job(input, cancellable));
}

async function job(input: JobInput, cancellable: CancellationScope): Promise<JobOutcome> {
  const { draft } = input;
  const acceptance = accept(input);
  setHandler(acceptUpdate, () => acceptance);
  const told = await acceptance;

  if (told.outcome === 'existing') return finish({ status: 'existing', jobId: told.jobId });
  if (told.outcome !== 'accepted') {
    await condition(allHandlersFinished);
    throw ApplicationFailure.nonRetryable(`The job was not accepted: ${told.outcome}.`, told.outcome);
  }

  setCurrentDetails(`Accepted and charged ${draft.imagesCharged}; rendering.`);
  const { outcome, webhook, overLimit } = await produce(input, cancellable);
  if (overLimit) await evictSurplus(draft.accountId);
  if (webhook !== null) await notify(webhook, input.queues, cancellable);
  return finish(outcome);
}

/** Charges and records the job, unless the first worker to see it came too late: both times are the server's. */
function accept({ draft, acceptWithinMs }: JobInput): Promise<AcceptanceOutcome> {
  const waitedMs = Date.now() - workflowInfo().startTime.getTime();
  return acceptJob(draft, acceptWithinMs - waitedMs);
}

async function produce(input: JobInput, cancellable: CancellationScope): Promise<Ending> {
  const { jobId } = input.draft;
  try {
    const { end, ...result } = await cancellable.run(() => render(input));
    const keys = result.results.map(({ key }) => key).join(', ');
    const completed = end ?? (await completeJob(jobId, result));
    return conclude(jobId, completed, 'completed', `Completed in ${result.processingMs} ms: ${keys}.`);
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
    const failure = renderFailure(error);
    const failed = await failJob(jobId, failure);
    return conclude(jobId, failed, 'failed', `Failed and refunded: ${failure.error}`);
  }
}

function render({ draft, plan, format, queues }: JobInput): Promise<RenderReport> {
  const { renderJob } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '10 m',
    // However long MongoDB, S3 or the renderers are away: the activity itself says which failure is final.
    scheduleToCloseTimeout: '24 h',
    heartbeatTimeout: '15 s',
    // Until the attempt has let go of the picture, so that nothing is written for a job that was refunded.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
  });
  const { jobId, accountId, input } = draft;
  const { runId, firstExecutionRunId } = workflowInfo();
  return renderJob({ jobId, accountId, plan, format, input, mayHaveEnded: runId !== firstExecutionRunId });
}

/** How the job ended, and what is left to do about it. */
type Ending = Omit<JobEnd, 'status'> & { outcome: JobOutcome };

/**
 * A job that had ended otherwise, before a reset or a cancel, stays as it is. The search attribute costs Temporal as much
 * as an activity does, so it is set where the execution's own status does not say as much.
 */
function conclude(jobId: string, end: JobEnd, expected: JobEnd['status'], details: string): Ending {
  const { status, webhook, overLimit } = end;
  if (status === 'failed' || webhook !== null) upsertSearchAttributes([{ key: JOB_STATUS, value: status }]);
  setCurrentDetails(status === expected ? details : `The job had ended before, as ${status}.`);
  return { outcome: { status, jobId }, webhook, overLimit };
}

/** What the render activity says of its failure; a time-out, which says nothing, gets a general sentence. */
function renderFailure(error: unknown): JobFailure {
  if (isCancellation(error)) return { error: `The job was cancelled. ${REFUNDED}`, processingMs: null };
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const told =
    cause instanceof ApplicationFailure ? (cause.details?.[0] as JobFailure | undefined) : undefined;
  return told ?? { error: `The image could not be generated. ${REFUNDED}`, processingMs: null };
}

/** More than one piece only for an account that virtual staging has taken far over the limit. */
async function evictSurplus(accountId: string): Promise<void> {
  let more = true;
  while (more) more = await enforceJobLimit(accountId);
}

const finish = (outcome: JobOutcome): JobOutcome | Promise<JobOutcome> =>
  allHandlersFinished() ? outcome : condition(allHandlersFinished).then(() => outcome);
