import { ApiError } from '../../contract/errors.ts';
import type { JobCreated, JobReplayed } from '../../contract/schemas.ts';
import { withDeadline } from '../../runtime.ts';
import type { IdempotencyRow } from '../../stores/ports.ts';
import { presentJob } from '../../stores/present.ts';
import type { JobRecord } from '../../stores/records.ts';
import type { ApiDeps } from '../deps.ts';
import type { GatewayOutcome, JobRequest } from '../job-gateway.ts';
import type { Claims } from './claims.ts';
import { jobDeleted, replay } from './replay.ts';

export const NOT_ENOUGH = 'The balance does not cover this job. Buy a pack, or render at 2K.';

/** A key's workflow that ended between look-up and call, or a winner that was refused, is worth another round. */
const ROUNDS = 5;
/** How long past the time to begin its answer is waited for. */
const ANSWER_MARGIN_MS = 1500;
/** How long MongoDB is asked what became of the request. */
const DECIDE_MS = 4500;

type Request = Omit<JobRequest, 'acceptWithinMs'>;

/**
 * The answer to a new request: its own job, or that of a concurrent request with the same key.
 * @param withinMs milliseconds in which the acceptance has to begin
 * @throws ApiError; then nothing is charged, or the charge is given back as soon as MongoDB can be reached
 */
export async function acceptJob(
  deps: ApiDeps,
  claims: Claims,
  request: Request,
  withinMs: number,
): Promise<JobCreated | JobReplayed> {
  const begun = performance.now();
  let outcome: GatewayOutcome = { outcome: 'unknown', cause: undefined };
  let ours = request;
  claims.add(request.draft.jobId);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const acceptWithinMs = withinMs - (performance.now() - begun);
    if (acceptWithinMs <= 0) break;
    const callWithinMs = acceptWithinMs + ANSWER_MARGIN_MS;
    const accepting = deps.jobs.accept({ ...ours, acceptWithinMs }, callWithinMs);
    outcome = await withDeadline(callWithinMs, accepting).catch(unknown);
    const answer = await conclude(deps, claims, ours, outcome).catch(undecided);
    if (answer === 'undecided') break;
    if (answer !== 'again') return answer;
    ours = onItsOwn(request);
  }
  return decide(deps, claims, request, outcome);
}

/** Nobody waits for the answer any longer; what comes of the call, MongoDB says. */
const unknown = (cause: unknown): GatewayOutcome => ({ outcome: 'unknown', cause });

/** MongoDB failed while the answer was looked for; it is asked once more. */
function undecided(error: unknown): 'undecided' {
  if (error instanceof ApiError) throw error;
  return 'undecided';
}

/** The key's workflow is that of a job which was undone. From here on the idempotency row alone keeps the key single. */
const onItsOwn = ({ draft, ...request }: Request): Request => ({
  ...request,
  draft: { ...draft, workflowId: `job:${draft.jobId}` },
});

async function conclude(
  deps: ApiDeps,
  claims: Claims,
  request: Request,
  outcome: GatewayOutcome,
): Promise<JobCreated | JobReplayed | 'again' | 'undecided'> {
  const { draft } = request;
  switch (outcome.outcome) {
    case 'accepted':
    case 'existing':
      return outcome.jobId === draft.jobId
        ? created(request)
        : replay(deps, claims, outcome, draft.bodyDigest);
    case 'insufficient_credits':
      throw new ApiError('insufficient_credits', NOT_ENOUGH);
    case 'closed': {
      const spent = await findSpent(deps, request);
      return spent === undefined ? 'again' : replay(deps, claims, spent, draft.bodyDigest);
    }
    case 'unknown':
      return 'undecided';
    default:
      // Another request of the key gave up; of this one's own job nothing can come any more.
      return outcome.jobId === draft.jobId ? 'undecided' : 'again';
  }
}

/**
 * Nobody said what became of the request, so MongoDB decides before the answer leaves: a job that is there is
 * answered as accepted, and one that is not is fenced, so that a late acceptance charges nothing.
 */
async function decide(
  deps: ApiDeps,
  claims: Claims,
  request: Request,
  cause: GatewayOutcome,
): Promise<JobReplayed> {
  const { draft } = request;
  let own: JobRecord | undefined;
  try {
    own = await withDeadline(DECIDE_MS, deps.stores.jobs.fence(draft.jobId));
  } catch {
    throw unavailable('Should it have been charged, that is undone.', cause);
  }
  if (own?.status === 'deleted') throw jobDeleted();
  if (own !== undefined) return { ...presentJob(own, deps.images), warnings: own.warnings };
  claims.drop(draft.jobId);
  const spent = await withDeadline(DECIDE_MS, findSpent(deps, request)).catch(() => undefined);
  const replayed = spent === undefined ? 'again' : await replay(deps, claims, spent, draft.bodyDigest);
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

const unavailable = (charge: string, outcome: GatewayOutcome) =>
  new ApiError(
    'internal_error',
    `The job could not be accepted now. ${charge} Retry with the same Idempotency-Key.`,
    { cause: causeOf(outcome) },
  );

const causeOf = (outcome: GatewayOutcome): unknown =>
  outcome.outcome === 'unknown' ? outcome.cause : new Error(`The acceptance ended as ${outcome.outcome}.`);
