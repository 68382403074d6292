import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  uuid4,
} from '@temporalio/workflow';
import type { AcceptanceOutcome, Activities, RenderFailure, RenderInput } from '../activities/activities.ts';
import { acceptUpdate, JOB_STATUS, type JobInput, type JobOutcome } from './messages.ts';

const FOREVER = { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' } as const;

const { completeJob } = proxyLocalActivities<Activities>({ startToCloseTimeout: '5 s', retry: FOREVER });
const { voidJob, failJob } = proxyActivities<Activities>({ startToCloseTimeout: '15 s', retry: FOREVER });

/** One job, from its acceptance to its end. The workflow id is made from the idempotency key. */
export async function jobWorkflow(input: JobInput): Promise<JobOutcome> {
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
  return finish(await produce(input));
}

/** Charges and records the job; when that ends too late to be answered, undoes it. */
async function accept(input: JobInput): Promise<AcceptanceOutcome> {
  const { jobId, bodyDigest } = input.draft;
  const acceptance = await charge(input);
  if (acceptance.outcome !== 'unavailable' || (await voidJob(jobId))) return acceptance;
  return { outcome: 'accepted', jobId, bodyDigest };
}

async function charge({ draft, respondBy }: JobInput): Promise<AcceptanceOutcome> {
  const { acceptJob } = proxyLocalActivities<Activities>({
    startToCloseTimeout: '5 s',
    scheduleToCloseTimeout: Math.max(respondBy - Date.now(), 1),
    retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '1 s' },
  });
  try {
    return await acceptJob(draft, respondBy);
  } catch (error) {
    if (error instanceof ActivityFailure) return { outcome: 'unavailable' };
    throw error;
  }
}

async function produce({ draft, plan, format, queues }: JobInput): Promise<JobOutcome> {
  const { renderJob } = proxyActivities<Activities>({
    taskQueue: queues.images,
    startToCloseTimeout: '10 m',
    heartbeatTimeout: '15 s',
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m', maximumAttempts: 8 },
  });
  const { jobId, accountId } = draft;
  const result = `${accountId}/${uuid4()}-${plan.label}.${format}`;
  const render: RenderInput = { jobId, accountId, plan, format, input: draft.input, resultKey: result };
  try {
    const end = await renderJob(render);
    await completeJob(jobId, end);
    upsertSearchAttributes([{ key: JOB_STATUS, value: 'completed' }]);
    setCurrentDetails(`Completed in ${end.processingMs} ms: ${result}`);
    return { status: 'completed', jobId };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const failure = renderFailure(error);
    await failJob(jobId, failure);
    upsertSearchAttributes([{ key: JOB_STATUS, value: 'failed' }]);
    setCurrentDetails(`Failed and refunded: ${failure.error}`);
    return { status: 'failed', jobId };
  }
}

/** What the render activity says of its failure; a time-out, which says nothing, gets a general sentence. */
function renderFailure({ cause }: ActivityFailure): RenderFailure {
  const details =
    cause instanceof ApplicationFailure ? (cause.details?.[0] as RenderFailure | undefined) : undefined;
  return (
    details ?? { error: 'The image could not be generated. The charge was refunded.', processingMs: null }
  );
}

async function finish(outcome: JobOutcome): Promise<JobOutcome> {
  await condition(allHandlersFinished);
  return outcome;
}
