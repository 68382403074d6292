import type { LimitName } from './limits.ts';

/**
 * The error table. HTTP responses, the OpenAPI document and the errors page are generated from it.
 * `addition` marks codes that version 1 of the contract does not list.
 */
export const ERRORS = {
  invalid_api_key: {
    status: 401,
    retryable: false,
    description: 'The X-Api-Key header is missing, malformed, sent twice, or matches no key.',
  },
  key_revoked: {
    status: 401,
    retryable: false,
    description:
      'The key was revoked, or the account behind it is disabled. A revoked key never works again.',
  },
  api_disabled: {
    status: 404,
    retryable: true,
    description: 'The operator has switched the API off. All routes return this, with or without a key.',
  },
  invalid_request: {
    status: 400,
    retryable: false,
    description:
      'A field, header or option is malformed or out of range: for example an unknown value of a known option in the guided tier, an Idempotency-Key over 128 characters, or an option that virtual-staging does not have.',
  },
  invalid_tool: {
    status: 400,
    retryable: false,
    description:
      'The `tool` is not a slug of GET /v1/tools, which omits tools that the operator has switched off.',
  },
  invalid_image: {
    status: 400,
    retryable: false,
    description:
      'Not exactly one of `image_url`, `image_base64` and the file of a form was sent, or the image is not a JPEG, PNG or WebP within the limits.',
  },
  image_fetch_failed: {
    status: 400,
    retryable: true,
    description:
      'The `image_url` could not be fetched: it is not a public https URL, the response is not a 2xx or not an image content type, there are more than 3 redirects, or the fetch takes longer than 10 seconds.',
  },
  insufficient_credits: {
    status: 402,
    retryable: false,
    description: 'The balance does not cover the job. No job was created, and the image sent was deleted.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    description:
      'Too many requests in 60 seconds, too many at once for one key or account, too many rotations of the webhook secret, or too many jobs of one account in an hour that failed because of their input or at a model that may charge, or were cancelled. Retry-After holds the seconds to wait.',
  },
  idempotency_conflict: {
    status: 409,
    retryable: false,
    description: 'The Idempotency-Key was already used with a different body.',
  },
  job_not_found: {
    status: 404,
    retryable: false,
    description:
      'The account has no such job: the id is unknown, the job was deleted, or the job of the Idempotency-Key or of the webhook delivery was deleted.',
  },
  job_in_progress: {
    status: 409,
    retryable: true,
    description:
      'The job is still processing and cannot be deleted yet, or a generator renders it and it can no longer be cancelled.',
  },
  webhook_url_rejected: {
    status: 400,
    retryable: false,
    description:
      'The `webhook_url` of a job, or the `url` of the webhook endpoint, is not a public https URL, or it contains a user name, a password, white space, control characters or a port of another protocol.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    description:
      'The body is over 30 MB, or over 1 MB on a request without the X-Api-Key header, or over 32 KB for PUT /v1/webhook-endpoint.',
  },
  generation_failed: {
    status: 422,
    retryable: true,
    description:
      'The model produced no result. No request returns this code: the job has the status `failed` and an `error`, and the charge is refunded.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    description: 'The service failed. Nothing was charged; retry with the same Idempotency-Key.',
  },
  not_found: {
    status: 404,
    retryable: false,
    addition: true,
    description: 'The API has no such path, or no such tool.',
  },
  delivery_not_found: {
    status: 404,
    retryable: false,
    addition: true,
    description: 'The account has no such webhook delivery. Deliveries are kept for 90 days.',
  },
  delivery_pending: {
    status: 409,
    retryable: true,
    addition: true,
    description: 'The webhook delivery is still pending, so it cannot be sent again yet.',
  },
  insufficient_scope: {
    status: 403,
    retryable: false,
    addition: true,
    description: 'The key is limited to scopes, and the one that this route needs is not among them.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    addition: true,
    description: 'The route exists, but not for this method. The Allow header lists the allowed methods.',
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  status: number;
  retryable: boolean;
  description: string;
  addition?: true;
}

export type ErrorCode = keyof typeof ERRORS;

export interface ApiErrorOptions extends ErrorOptions {
  retryAfter?: number;
  limit?: LimitName;
}

/**
 * An error of the table. Thrown anywhere in the API, and mapped to the error envelope in one place.
 * `message` tells the caller what to change; `cause` is logged and never sent.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Whole seconds for Retry-After. */
  readonly retryAfter: number | undefined;
  /** Set when the code is rate_limited. */
  readonly limit: LimitName | undefined;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = ERRORS[code].status;
    this.retryAfter = options.retryAfter;
    this.limit = options.limit;
  }
}
