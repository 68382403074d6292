import { createHash, randomUUID } from 'node:crypto';
import { findTool, type Plan, planRender } from '../../catalog/catalog.ts';
import { ApiError } from '../../contract/errors.ts';
import { BUDGETS } from '../../contract/limits.ts';
import type { CreateJob, JobCreated, JobReplayed } from '../../contract/schemas.ts';
import { EgressError } from '../../egress/egress.ts';
import { countedFor, type Failures } from '../../stores/failures.ts';
import type { Caller, JobDraft, ObjectRef } from '../../stores/records.ts';
import { removeImagesSoon } from '../../stores/removal.ts';
import type { ApiDeps } from '../deps.ts';
import type { Hold } from '../hold.ts';
import type { IncomingImage } from '../intake/image-field.ts';
import { acceptJob, NOT_ENOUGH } from './accept.ts';
import type { Claims } from './claims.ts';
import { type FetchedImage, imageFromBase64, imageFromUrl } from './image.ts';
import { replay } from './replay.ts';

/**
 * A caller waits no longer than 20 s for an answer, besides the wait for a turn in the budgets: what fetching and storing
 * the picture took is gone from the time that acceptance has, and MongoDB may be asked once more after it.
 */
const ACCEPTED_WITHIN_MS = 14_000;

export interface Creation {
  caller: Caller;
  /** The fields of the body without the picture; none once they were dropped. */
  body: CreateJob;
  image: IncomingImage | undefined;
  bodyDigest: string;
  idempotencyKey: string | null;
  /** What the request holds of the budgets. */
  hold: Hold;
  claims: Claims;
  /** Gives back what the fields hold: unknown ones and options may be a megabyte. */
  dropFields(): void;
}

/**
 * POST /v1/jobs after the body was read: the checks in their order, the picture stored, the job accepted.
 * @throws ApiError; then nothing is charged and the picture is gone. The onSend hook of the route gives up the claims on
 * a 5xx.
 */
export async function createJob(deps: ApiDeps, creation: Creation): Promise<JobCreated | JobReplayed> {
  const { body, caller, image, bodyDigest, idempotencyKey, hold, claims } = creation;
  const answerBy = Date.now() + ACCEPTED_WITHIN_MS;
  const waitedBefore = hold.waitedMs;
  if ((image === undefined) === (body.image_url === undefined))
    throw new ApiError('invalid_image', 'Send exactly one of image_url and image_base64.');
  if (idempotencyKey !== null) {
    const spent = await deps.stores.jobs.findByIdempotencyKey(caller.keyId, idempotencyKey);
    const replayed = spent === undefined ? 'again' : await replay(deps, claims, spent, bodyDigest);
    if (replayed !== 'again') return replayed;
  }
  const plan = planOf(body);
  const { image_url: imageUrl = '', webhook_url: webhookUrl = null } = body;
  await checkWebhookUrl(deps, webhookUrl);
  await checkAccount(deps, caller, plan);
  if (image === undefined) creation.dropFields();
  const { picture, paid } = await pictureOf(deps, creation, imageUrl);
  using _place = await hold.take(deps.budgets.acceptances, 1, 'accountId');
  const ready = { plan, webhookUrl, picture, paid, answerBy: answerBy + hold.waitedMs - waitedBefore };
  return await storeAndAccept(deps, creation, ready);
}

async function pictureOf(
  deps: ApiDeps,
  { caller, image, hold }: Creation,
  imageUrl: string,
): Promise<FetchedImage> {
  if (image !== undefined) return { picture: imageFromBase64(image), paid: () => {} };
  return imageFromUrl({ ...deps, hold, keyId: caller.keyId }, imageUrl);
}

function planOf({ tool, options }: CreateJob): Plan {
  const spec = findTool(tool);
  if (spec === undefined)
    throw new ApiError('invalid_tool', 'tool: there is no such tool. GET /v1/tools lists the slugs.');
  const planned = planRender(spec, options);
  if (!planned.ok) throw new ApiError('invalid_request', planned.message);
  return planned.plan;
}

async function checkWebhookUrl({ egress }: ApiDeps, url: string | null): Promise<void> {
  if (url === null) return;
  try {
    await egress.check(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ApiError('webhook_url_rejected', `webhook_url: ${error.message}`, { cause: error });
  }
}

/** Spares a caller who can't pay the upload; the charge itself is guarded in its transaction. */
async function checkAccount({ stores }: ApiDeps, { accountId }: Caller, plan: Plan): Promise<void> {
  const { balance, failures } = await stores.accounts.get(accountId);
  if (balance < plan.imagesCharged) throw new ApiError('insufficient_credits', NOT_ENOUGH);
  if (failures !== undefined) await checkFailures(stores, accountId, failures);
}

/** A job that fails is refunded, so without a bound a caller could have the renderers work for nothing all day. */
async function checkFailures({ packs }: ApiDeps['stores'], accountId: string, failures: Failures) {
  const { jobs } = failures;
  const waitMs = countedFor(failures, new Date());
  if (waitMs === 0 || jobs < BUDGETS.accountFailures) return;
  const limit = (await packs.hasPaid(accountId)) ? BUDGETS.paidAccountFailures : BUDGETS.accountFailures;
  if (jobs < limit) return;
  const message = `${jobs} jobs of this account failed within an hour because of what was sent. Check their \`error\` before you send more.`;
  throw new ApiError('rate_limited', message, { retryAfter: Math.ceil(waitMs / 1000) });
}

type Ready = FetchedImage & { plan: Plan; webhookUrl: string | null; answerBy: number };

async function storeAndAccept(deps: ApiDeps, creation: Creation, ready: Ready) {
  const { caller, claims } = creation;
  const { plan, picture, paid, answerBy } = ready;
  const { bytes, format, sha256 } = picture;
  const input: ObjectRef = { bucket: 'inputs', key: `${caller.accountId}/${randomUUID()}.${format}` };
  await deps.images.putInput(input.key, bytes, `image/${format}`, sha256);
  const draft = toDraft(creation, ready, input);
  const request = { draft, plan, format, accountName: caller.accountName };
  try {
    const withinMs = Math.min(deps.config.api.acceptTimeoutMs, answerBy - Date.now());
    const answer = await acceptJob(deps, claims, request, withinMs);
    if (answer.job_id === draft.jobId) paid();
    else await removeImagesSoon(deps, [input]);
    return answer;
  } catch (error) {
    // After a 5xx a late acceptance may still need the picture; the sweep for orphans takes it if not.
    if (error instanceof ApiError && error.status < 500) await removeImagesSoon(deps, [input]);
    throw error;
  }
}

function toDraft(creation: Creation, { plan, webhookUrl }: Ready, input: ObjectRef): JobDraft {
  const { caller, bodyDigest, idempotencyKey, claims } = creation;
  const jobId = claims.requestId;
  return {
    jobId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    idempotencyKey,
    bodyDigest,
    tool: plan.tool,
    imagesCharged: plan.imagesCharged,
    options: plan.settings,
    warnings: plan.warnings,
    webhookUrl,
    workflowId: idempotencyKey === null ? `job:${jobId}` : `job:${caller.keyId}:${digestOf(idempotencyKey)}`,
    input,
  };
}

const digestOf = (idempotencyKey: string) => createHash('sha256').update(idempotencyKey).digest('base64url');
