import { ApiError } from '../../contract/errors.ts';
import type { JobCreated, JobReplayed } from '../../contract/schemas.ts';
import type { IdempotencyRow } from '../../stores/ports.ts';
import { presentJob } from '../../stores/present.ts';
import type { ApiDeps } from '../deps.ts';
import type { GatewayOutcome, JobRequest } from '../job-gateway.ts';
import { before } from './before.ts';
import { replay } from './replay.ts';

export const NOT_ENOUGH = 'The balance does not cover this job. Buy a pack, or render at 2K.';

/** A key's workflow that ended between look-up and call, or a winner that was refused, is worth another round. */
const ROUNDS = 5;

/** Given after `respondBy` to the workflow's answer, and then to MongoDB's, which gives up much later by itself. */
const SETTLE_MS = 4500;

type Request = Omit<JobRequest, 'respondBy'>;

/**
 * The answer to a new request: its own job, or that of a concurrent request with the same key.
 * @param answerBy epoch milliseconds; acceptance is not waited for any longer, whatever time it would have had
 */
export async function acceptJob(
  deps: ApiDeps,
  request: Request,
  answerBy: number,
): Promise<JobCreated | JobReplayed> {
  const respondBy = Math.min(Date.now() + deps.config.api.acceptTimeoutMs, answerBy);
  const rounds = acceptInRounds(deps, request, respondBy);
  return before(respondBy + SETTLE_MS, rounds, () => unavailable({ outcome: 'unknown', cause: undefined }));
}

async function acceptInRounds(deps: ApiDeps, request: Request, respondBy: number) {
  let outcome: GatewayOutcome = { outcome: 'unknown', cause: undefined };
  for (let round = 1; round <= ROUNDS && Date.now() < respondBy; round += 1) {
    const requestId = `${request.requestId}:${round}`;
    outcome = await deps.jobs.accept({ ...request, requestId, respondBy });
    const answer = await conclude(deps, { ...request, respondBy }, outcome);
    if (answer !== 'again') return answer;
  }
  throw unavailable(outcome);
}

async function conclude(
  deps: ApiDeps,
  request: JobRequest,
  outcome: GatewayOutcome,
): Promise<JobCreated | JobReplayed | 'again'> {
  const { draft } = request;
  switch (outcome.outcome) {
    case 'accepted':
    case 'existing':
      return outcome.jobId === draft.jobId ? created(request) : replay(deps, outcome, draft.bodyDigest);
    case 'insufficient_credits':
      throw new ApiError('insufficient_credits', NOT_ENOUGH);
    case 'closed': {
      const spent = await findSpent(deps, request);
      return spent === undefined ? 'again' : replay(deps, spent, draft.bodyDigest);
    }
    case 'unknown':
      return settle(deps, request, outcome);
    default:
      return 'again';
  }
}

/** Nobody said what became of the request: MongoDB knows. A job found there is kept and answered, and can't be voided. */
async function settle(deps: ApiDeps, request: JobRequest, outcome: GatewayOutcome): Promise<JobReplayed> {
  const { draft, respondBy } = request;
  const own = await deps.stores.jobs.claim(draft.jobId, new Date(respondBy + SETTLE_MS));
  if (own !== undefined) return { ...presentJob(own, deps.images), warnings: own.warnings };
  const spent = await findSpent(deps, request);
  if (spent !== undefined) return replay(deps, spent, draft.bodyDigest);
  throw unavailable(outcome);
}

async function findSpent(deps: ApiDeps, { draft }: Request): Promise<IdempotencyRow | undefined> {
  if (draft.idempotencyKey === null) return undefined;
  return deps.stores.jobs.findByIdempotencyKey(draft.keyId, draft.idempotencyKey);
}

function created({ draft, plan }: Request): JobCreated {
  const { jobId, imagesCharged } = draft;
  return { job_id: jobId, status: 'processing', images_charged: imagesCharged, warnings: plan.warnings };
}

const unavailable = (outcome: GatewayOutcome) =>
  new ApiError(
    'internal_error',
    'The job could not be accepted now and nothing was charged. Retry with the same Idempotency-Key.',
    { cause: outcome },
  );
