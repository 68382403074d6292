import { findTool, likelyTool, type Plan, planRender } from '../../lib/catalog/catalog.ts';
import {
  disabledTool,
  insufficientCredits,
  notOneImage,
  unknownTool,
} from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { FAILED_JOBS } from '../../lib/contract/limits.ts';
import type { CreateJob } from '../../lib/contract/schemas.ts';
import { type FailureCount, remainingMs } from '../../lib/domain/failures.ts';
import type { Caller } from '../../lib/domain/records.ts';
import type { IdempotencyRow } from '../../lib/stores/job-store.ts';
import type { RequestPermits } from '../admission/request-permits.ts';
import type { ApiDeps } from '../deps.ts';
import type { IncomingImage } from '../intake/image-field.ts';
import { checkWebhookUrl } from '../webhooks/endpoint.ts';
import { type FetchedImage, imageFromBody, imageFromUrl } from './image.ts';
import type { Compensations } from './voids.ts';

/**
 * One POST /v1/jobs whose body has been read: all that the following steps know of it. Built once.
 */
export interface PostedJob {
  caller: Caller;
  /** The body without its image; empty after `dropFields`. */
  fields: CreateJob;
  image: IncomingImage | undefined;
  bodyDigest: string;
  idempotencyKey: string | null;
  isDryRun: boolean;
  /** What it holds of the limits. */
  permits: RequestPermits;
  /** The jobs to void if it ends in 5xx. */
  compensations: Compensations;
  /**
   * Releases the memory of the fields, and the permit for it: options and unknown fields may take a
   * megabyte.
   */
  dropFields(): void;
}

/**
 * What acceptance needs: the image has been fetched and has passed the safety limits. To be
 * disposed of at the end.
 */
export type CheckedJob = FetchedImage & {
  plan: Plan;
  webhookUrl: string | null;
  /** The balance before the job, in images. */
  balance: number;
};

/**
 * Runs the checks of POST /v1/jobs in the contract's order, without storing or charging anything.
 * @param replay answers for a used Idempotency-Key. Returns `again` if its job was voided, so that
 * the key is free
 * @throws ApiError of the first check that fails
 */
export async function checkJob<Replayed>(
  deps: ApiDeps,
  job: PostedJob,
  replay: (spent: IdempotencyRow) => Promise<Replayed | 'again'>,
): Promise<CheckedJob | { replayed: Replayed }> {
  if ((job.image === undefined) === (job.fields.image_url === undefined)) throw notOneImage();
  const replayed = await replayByKey(deps, job, replay);
  if (replayed !== 'again') return { replayed };
  try {
    return await checkNewJob(deps, job);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // A request with the same key may have been accepted meanwhile, and have caused the refusal,
    // for instance by its charge.
    const accepted = await replayByKey(deps, job, replay);
    if (accepted !== 'again') return { replayed: accepted };
    throw error;
  }
}

/**
 * @returns `again` if the request has no key, or the key is free.
 * @throws ApiError as `replay` does
 */
async function replayByKey<Replayed>(
  { stores }: ApiDeps,
  { caller, idempotencyKey }: PostedJob,
  replay: (spent: IdempotencyRow) => Promise<Replayed | 'again'>,
): Promise<Replayed | 'again'> {
  if (idempotencyKey === null) return 'again';
  const spent = await stores.jobs.findByIdempotencyKey(caller.keyId, idempotencyKey);
  return spent === undefined ? 'again' : replay(spent);
}

async function checkNewJob(deps: ApiDeps, job: PostedJob): Promise<CheckedJob> {
  const { fields, caller, image } = job;
  const plan = planOf(deps, fields);
  const { image_url: imageUrl = '', webhook_url = null } = fields;
  const webhookUrl = await checkWebhookUrl(deps.egress, 'webhook_url', webhook_url);
  const balance = await checkAccount(deps, caller, plan);
  if (image === undefined) job.dropFields();
  return { ...(await imageOf(deps, job, imageUrl)), plan, webhookUrl, balance };
}

async function imageOf(
  deps: ApiDeps,
  { caller, image, permits, isDryRun }: PostedJob,
  imageUrl: string,
): Promise<FetchedImage> {
  if (image !== undefined)
    return { image: imageFromBody(image), onCharged: () => {}, [Symbol.dispose]: () => {} };
  return imageFromUrl({ ...deps, permits, isDryRun, accountId: caller.accountId }, imageUrl);
}

function planOf({ toolSwitch }: ApiDeps, { tool, options }: CreateJob): Plan {
  const spec = findTool(tool);
  if (spec === undefined) throw unknownTool(likelyTool(tool, (slug) => !toolSwitch.isDisabled(slug)));
  if (toolSwitch.isDisabled(spec.slug)) throw disabledTool(spec.slug);
  const planned = planRender(spec, options);
  if (!planned.ok) throw new ApiError('invalid_request', planned.message);
  return planned.plan;
}

/**
 * Rejects early what acceptance would reject; the balance is checked again in the charging
 * transaction.
 * @returns the balance
 */
async function checkAccount({ stores }: ApiDeps, { accountId }: Caller, plan: Plan): Promise<number> {
  const { balance, failures } = await stores.accounts.get(accountId);
  if (balance < plan.imagesCharged) throw insufficientCredits();
  if (failures !== undefined) await checkFailures(stores, accountId, failures);
  return balance;
}

/**
 * Failed jobs are refunded, so they are limited: a caller could otherwise use renderers and models
 * for free.
 */
async function checkFailures({ packs }: ApiDeps['stores'], accountId: string, failures: FailureCount) {
  const { jobs } = failures;
  const waitMs = remainingMs(failures, new Date());
  if (waitMs === 0 || jobs < FAILED_JOBS.account) return;
  const limit = (await packs.hasPaid(accountId)) ? FAILED_JOBS.paidAccount : FAILED_JOBS.account;
  if (jobs < limit) return;
  const message = `${jobs} jobs of this account failed within an hour because of their input, after a model may have charged for them, or because they were cancelled. Check their \`error\` before you send more.`;
  throw new ApiError('rate_limited', message, {
    limit: 'failed-jobs',
    retryAfter: Math.ceil(waitMs / 1000),
  });
}
