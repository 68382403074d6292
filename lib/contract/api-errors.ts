import { ApiError } from './errors.ts';
import {
  type AddressLimit,
  LIMITS,
  type LimitName,
  type RouteGroup,
  WEBHOOK_LIMITS,
  type WebhookLimit,
} from './limits.ts';
import type { Scope } from './scopes.ts';

// Errors that several places throw, or that the errors page quotes. Any other error is written
// where it is thrown.

const KB = 1024;
const MB = KB * KB;

export const missingApiKey = () =>
  new ApiError('invalid_api_key', 'Send your API key in the X-Api-Key header.');

export const keyRevoked = () =>
  new ApiError('key_revoked', 'The key was revoked or its account is disabled. Use another key.');

export const insufficientScope = (scope: Scope) =>
  new ApiError(
    'insufficient_scope',
    `This key lacks the scope ${scope}. Use a key that has it, or ask the operator to add it.`,
  );

export const apiDisabled = () => new ApiError('api_disabled', 'The API is switched off. Try again later.');

export const invalidRequest = (message: string, options?: ErrorOptions) =>
  new ApiError('invalid_request', message, options);

export const emptyBody = () => invalidRequest('The body is empty; send a JSON object.');

/** @param meant the slug that was probably meant */
export const unknownTool = (meant?: string) =>
  new ApiError('invalid_tool', `tool: unknown tool.${didYouMean(meant)} GET /v1/tools lists the slugs.`);

const didYouMean = (slug: string | undefined) => (slug === undefined ? '' : ` Did you mean ${slug}?`);

/** For a path that names a tool. @param meant the slug that was probably meant */
export const toolNotFound = (meant?: string) =>
  new ApiError('not_found', `There is no such tool.${didYouMean(meant)} GET /v1/tools lists the slugs.`);

export const disabledTool = (slug: string) =>
  new ApiError('invalid_tool', `tool: ${slug} is switched off at present. GET /v1/tools lists the others.`);

export const notOneImage = () =>
  new ApiError(
    'invalid_image',
    'Send exactly one image: image_url, image_base64 or, in a form, the part image.',
  );

export const insufficientCredits = () =>
  new ApiError('insufficient_credits', 'The balance does not cover this job. Buy a pack, or render at 2K.');

/** @param retryAfter seconds to wait, also sent as Retry-After */
export const limitExceeded = (limit: LimitName, reason: string, retryAfter: number) =>
  new ApiError('rate_limited', `${reason} Retry in ${retryAfter} seconds.`, { retryAfter, limit });

/** @param limit what the requests are counted by, and how many are allowed in a minute */
export const tooManyRequests = (
  { name, requests }: { name: RouteGroup | AddressLimit; requests: number },
  retryAfter: number,
) => limitExceeded(name, `More than ${requests} requests a minute ${senderOf(name)}.`, retryAfter);

function senderOf(name: RouteGroup | AddressLimit): string {
  if (name === 'ip' || name === 'ip-other') return 'from this address';
  return name === 'site' || name === 'site-other' ? 'from this network' : 'with this key';
}

export const tooManyWebhooks = (name: WebhookLimit, retryAfter: number) =>
  limitExceeded(
    name,
    `More than ${WEBHOOK_LIMITS[name]} ${name.replace('-', ' ')} an hour for this account.`,
    retryAfter,
  );

export const idempotencyConflict = () =>
  new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used with a different body. Send the first body again, or use a new key.',
  );

export const jobNotFound = (options?: ErrorOptions) =>
  new ApiError('job_not_found', 'There is no such job.', options);

export const jobOfKeyDeleted = () =>
  new ApiError(
    'job_not_found',
    'The job of this Idempotency-Key was deleted. Use a new key to render again.',
  );

export const jobOfDeliveryDeleted = () =>
  new ApiError(
    'job_not_found',
    'The job of this delivery was deleted, and its event with it. It cannot be sent again.',
  );

export const deliveryNotFound = () => new ApiError('delivery_not_found', 'There is no such delivery.');

export const deliveryPending = () =>
  new ApiError(
    'delivery_pending',
    'The delivery is pending: an attempt is under way or scheduled. Wait until it has ended.',
  );

export const noWebhookEndpoint = () =>
  invalidRequest('The account has no webhook endpoint. Set one with PUT /v1/webhook-endpoint.');

export const jobInProgress = () =>
  new ApiError('job_in_progress', 'The job is still processing. Delete it once it has ended.');

export const jobBegun = () =>
  new ApiError(
    'job_in_progress',
    'A generator is already rendering the job, so it can no longer be cancelled. Poll it until it has ended.',
  );

/** @param limit in bytes: the limit with the X-Api-Key header, without it, or of the route */
export function payloadTooLarge(limit: number): ApiError {
  const hint =
    limit === LIMITS.bodyBytesWithoutKey
      ? ' That is the limit for requests without the X-Api-Key header.'
      : '';
  const size = limit < MB ? `${limit / KB} KB` : `${limit / MB} MB`;
  return new ApiError('payload_too_large', `The body is over ${size}.${hint}`);
}

export const internalError = (options?: ErrorOptions) =>
  new ApiError('internal_error', 'The service failed. Retry with the same Idempotency-Key.', options);

export const routeNotFound = (method: string, path: string) =>
  new ApiError('not_found', `There is no ${method} ${path}.`);

/** @param allowed as in the Allow header */
export const wrongMethod = (method: string, allowed: string) =>
  new ApiError('method_not_allowed', `${method} is not allowed here; use ${allowed}.`);
