import {
  apiDisabled,
  deliveryNotFound,
  deliveryPending,
  idempotencyConflict,
  insufficientCredits,
  insufficientScope,
  internalError,
  jobInProgress,
  jobNotFound,
  keyRevoked,
  missingApiKey,
  notOneImage,
  payloadTooLarge,
  routeNotFound,
  tooManyRequests,
  unknownTool,
  wrongMethod,
} from '../../lib/contract/api-errors.ts';
import type { ErrorCode } from '../../lib/contract/errors.ts';
import { LIMITS, RATE_LIMITS } from '../../lib/contract/limits.ts';
import { NOT_GENERATED, refundedError } from '../../lib/domain/job-errors.ts';

/** What a client should do about a code, and an example of the message. Backticks mark names. */
export interface Guide {
  action: string;
  example: string;
}

export const ERROR_GUIDE: Record<ErrorCode, Guide> = {
  invalid_api_key: {
    action:
      'Send the complete key in the `X-Api-Key` header, once. The message says whether the key is missing, malformed or unknown.',
    example: missingApiKey().message,
  },
  key_revoked: {
    action: 'Use another key of the account. If the account is disabled, contact the operator.',
    example: keyRevoked().message,
  },
  api_disabled: {
    action: 'Wait until the operator switches the API on. Retry about once a minute.',
    example: apiDisabled().message,
  },
  invalid_request: {
    action: 'Change the field, header or option that the message names. The same request fails again.',
    example: 'Idempotency-Key: must not have more than 128 characters.',
  },
  invalid_tool: {
    action:
      'Use a slug of `GET /v1/tools`, spelled exactly as it is there. Titles and marketing names are not accepted; the message names the slug that was probably meant, if one is similar.',
    example: unknownTool('virtual-staging').message,
  },
  invalid_image: {
    action:
      'Send exactly one image: JPEG, PNG or WebP, at most 20 MB, 100 megapixels and 16,384 pixels on each side. Send base64 without line breaks; a data URI, or the file of a form, must have one of the three types.',
    example: notOneImage().message,
  },
  image_fetch_failed: {
    action:
      'Check that the URL is public, uses https and returns 200 with an image content type within 10 seconds. Then retry, or upload the image.',
    example: 'image_url: The URL points to a host that is not on the public internet.',
  },
  insufficient_credits: {
    action:
      'Buy a pack, or render at 2K. The Idempotency-Key is not used up: the same request succeeds once the balance covers it. `GET /v1/account` returns the balance.',
    example: insufficientCredits().message,
  },
  rate_limited: {
    action:
      'Wait for the seconds in `Retry-After`, then retry. The message says which limit it is. To avoid the error, slow down as `X-RateLimit-Remaining` approaches 0.',
    example: tooManyRequests({ name: 'create-job', requests: RATE_LIMITS['create-job'] }, 12).message,
  },
  idempotency_conflict: {
    action:
      'Send the first body again to get its job, or use a new key for the new body. Derive keys from your own record ids to avoid accidental reuse.',
    example: idempotencyConflict().message,
  },
  job_not_found: {
    action:
      'Stop polling. If you sent an Idempotency-Key, the job of that key was deleted; use a new key to render again.',
    example: jobNotFound().message,
  },
  job_in_progress: {
    action:
      'Poll the job until it is `completed` or `failed`, then delete it. A job that is refused to be cancelled ends by itself.',
    example: jobInProgress().message,
  },
  webhook_url_rejected: {
    action:
      'Send a public https URL without a user name or password, with spaces and the like percent-encoded, or omit the field and poll. To test on your own machine, use a tunnel with a public address.',
    example: 'webhook_url: The URL must begin with https://.',
  },
  payload_too_large: {
    action:
      'Send a smaller image, or send it by `image_url`. If the body is smaller than 30 MB, the `X-Api-Key` header is missing or misspelled.',
    example: payloadTooLarge(LIMITS.bodyBytes).message,
  },
  generation_failed: {
    action:
      'Read `error` of the job, and create a new job with another image or other options. The charge was refunded.',
    example: refundedError(NOT_GENERATED),
  },
  internal_error: {
    action:
      'Retry with the same Idempotency-Key, after a second at first and then with exponential backoff. If it persists, contact the operator with the `X-Request-Id`.',
    example: internalError().message,
  },
  not_found: {
    action:
      'Compare the path with the reference. Every path is the base URL, which ends with `/api`, followed by `/v1`. For `GET /v1/tools/{slug}`, use a slug of `GET /v1/tools`.',
    example: routeNotFound('GET', '/api/v1/images').message,
  },
  delivery_not_found: {
    action: 'Use an id of `GET /v1/webhook-deliveries`, which is also the `webhook-id` of the event.',
    example: deliveryNotFound().message,
  },
  delivery_pending: {
    action:
      'Wait until `status` of the delivery in `GET /v1/webhook-deliveries` is no longer `pending`. `next_attempt_at` says when it will be sent.',
    example: deliveryPending().message,
  },
  insufficient_scope: {
    action:
      'Use a key that has the scope that the message names. The operator can add a scope to a key. `GET /v1/tools` needs none.',
    example: insufficientScope('account').message,
  },
  method_not_allowed: {
    action: 'Use one of the methods in the `Allow` header.',
    example: wrongMethod('PUT', 'GET, HEAD, POST').message,
  },
};
