import { idempotencyConflict, insufficientCredits, jobOfKeyDeleted } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import type { JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import { withDeadline } from '../../lib/process/process.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import type { IdempotencyRow } from '../../lib/stores/job-store.ts';
import type { ApiDeps } from '../deps.ts';
import { isSameBody } from '../intake/job-body.ts';
import type { GatewayOutcome, JobRequest } from './gateway.ts';
import type { Compensations } from './voids.ts';

/**
 * A try fails if the workflow of the Idempotency-Key has just ended, or if it rejected another
 * request. The next try can succeed.
 */
const MAX_TRIES = 5;
/** Time that the outcome of an acceptance may take after the latest time at which it may start. */
const OUTCOME_MARGIN_MS = 1500;
/** Time limit of the fence, and of the look-up of the Idempotency-Key after it. */
const DECIDE_MS = 4500;

type Request = Omit<JobRequest, 'acceptWithinMs' | 'sentAt'>;

/**
 * Has a new request accepted. Returns its own job, or that of a concurrent request with the same
 * key.
 * @param withinMs milliseconds in which the acceptance has to start
 * @throws ApiError, or an error of MongoDB. After a 4xx nothing is charged. After any other error
 * the caller must run the compensations, which void the charge
 */
export async function requestAcceptance(
  deps: ApiDeps,
  compensations: Compensations,
  request: Request,
  withinMs: number,
): Promise<JobCreated | JobReplayed> {
  const startedAt = performance.now();
  let outcome: GatewayOutcome = { outcome: 'unknown', cause: undefined };
  let attempt = request;
  compensations.add(request.draft.jobId);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const acceptWithinMs = withinMs - (performance.now() - startedAt);
    if (acceptWithinMs <= 0) break;
    const callWithinMs = acceptWithinMs + OUTCOME_MARGIN_MS;
    const call = { ...attempt, acceptWithinMs, sentAt: Date.now() };
    const acceptance = deps.jobGateway.accept(call, callWithinMs);
    outcome = await withDeadline(callWithinMs, acceptance).catch(unknown);
    const response = await conclude(deps, compensations, attempt, outcome).catch(refusalOrUndecided);
    if (response === 'undecided') break;
    if (response instanceof ApiError) return decide(deps, compensations, request, response);
    if (response !== 'again') return response;
    attempt = withOwnWorkflow(request);
  }
  return decide(deps, compensations, request, outcome);
}

/** The call timed out; its outcome is decided in MongoDB. */
const unknown = (cause: unknown): GatewayOutcome => ({ outcome: 'unknown', cause });

/**
 * Returns a refusal, so that `decide` can make it final. Any other error, such as a failure of
 * MongoDB, leaves the outcome undecided.
 */
const refusalOrUndecided = (error: unknown) => (error instanceof ApiError ? error : 'undecided');

/**
 * The workflow of the key belongs to a job that does not exist. From now on only the idempotency
 * row makes the key unique.
 */
const withOwnWorkflow = ({ draft, ...request }: Request): Request => ({
  ...request,
  draft: { ...draft, workflowId: jobWorkflowId(draft.jobId) },
});

async function conclude(
  deps: ApiDeps,
  compensations: Compensations,
  request: Request,
  outcome: GatewayOutcome,
): Promise<JobCreated | JobReplayed | 'again' | 'undecided'> {
  const { draft } = request;
  switch (outcome.outcome) {
    case 'accepted':
    case 'existing':
      return outcome.jobId === draft.jobId
        ? created(request)
        : replay(deps, compensations, outcome, draft.bodyDigest);
    case 'insufficient_credits':
      // Another request with the key may cost more.
      if (outcome.jobId !== draft.jobId) return 'again';
      throw insufficientCredits();
    case 'closed': {
      const spent = await findSpent(deps, request);
      return spent === undefined ? 'again' : replay(deps, compensations, spent, draft.bodyDigest);
    }
    case 'unknown':
      return 'undecided';
    default:
      // `unavailable` or `voided`. If the outcome belongs to another request, this request can
      // still be accepted.
      return outcome.jobId === draft.jobId ? 'undecided' : 'again';
  }
}

/**
 * Decides an unknown outcome or a refusal in MongoDB before the response is sent. A stored job is
 * returned as accepted. Otherwise the job id is fenced, so that a late acceptance charges nothing.
 * A refusal is fenced too: Temporal may get a late copy of the call. By then the other job may be
 * voided, and its Idempotency-Key free.
 */
async function decide(
  deps: ApiDeps,
  compensations: Compensations,
  request: Request,
  cause: GatewayOutcome | ApiError,
): Promise<JobReplayed> {
  const { draft } = request;
  let job: JobRecord | undefined;
  try {
    job = await withDeadline(DECIDE_MS, deps.stores.jobs.fence(draft.jobId));
  } catch {
    throw unavailable('If it was charged, the charge will be refunded.', cause);
  }
  if (job?.status === 'deleted') throw jobOfKeyDeleted();
  if (job !== undefined) return { ...presentJob(job, deps.images), warnings: job.warnings };
  compensations.remove(draft.jobId);
  if (cause instanceof ApiError) throw cause;
  const spent = await withDeadline(DECIDE_MS, findSpent(deps, request)).catch(() => undefined);
  const replayed = spent === undefined ? 'again' : await replay(deps, compensations, spent, draft.bodyDigest);
  if (replayed !== 'again') return replayed;
  throw unavailable('Nothing was charged.', cause);
}

async function findSpent(deps: ApiDeps, { draft }: Request): Promise<IdempotencyRow | undefined> {
  if (draft.idempotencyKey === null) return undefined;
  return deps.stores.jobs.findByIdempotencyKey(draft.keyId, draft.idempotencyKey);
}

function created({ draft, plan }: Request): JobCreated {
  const { jobId, imagesCharged } = draft;
  return { job_id: jobId, status: 'processing', images_charged: imagesCharged, warnings: plan.warnings };
}

const unavailable = (charge: string, outcome: GatewayOutcome | ApiError) =>
  new ApiError(
    'internal_error',
    `The job could not be accepted. ${charge} Retry with the same Idempotency-Key.`,
    { cause: causeOf(outcome) },
  );

function causeOf(outcome: GatewayOutcome | ApiError): unknown {
  if (outcome instanceof ApiError) return outcome;
  return outcome.outcome === 'unknown'
    ? outcome.cause
    : new Error(`The acceptance ended as ${outcome.outcome}.`);
}

/**
 * The response to a request whose key is already used (spec: Idempotent replay): the current job
 * and the warnings of the first request.
 * @returns `again` when the job was voided after the row was read, so that the key can be used
 * @throws ApiError idempotency_conflict when the body differs, job_not_found when the job was
 * deleted
 */
export async function replay(
  deps: ApiDeps,
  compensations: Compensations,
  spent: IdempotencyRow,
  bodyDigest: string,
): Promise<JobReplayed | 'again'> {
  if (!isSameBody(spent.bodyDigest, bodyDigest)) throw idempotencyConflict();
  compensations.add(spent.jobId);
  const job = await deps.stores.jobs.recordReturned(spent.jobId, compensations.requestId);
  if (job === 'voided') {
    compensations.remove(spent.jobId);
    return 'again';
  }
  if (job === undefined) throw jobOfKeyDeleted();
  return { ...presentJob(job, deps.images), warnings: job.warnings };
}
