import type { ErrorCode } from '../../contract/errors.ts';

/** What a client does about a code, and a message as the service words it. Backticks mark names. */
export interface Guide {
  action: string;
  example: string;
}

export const ERROR_GUIDE: Record<ErrorCode, Guide> = {
  invalid_api_key: {
    action:
      'Send the key in the `X-Api-Key` header, once and complete. A key cut off while copying fails its checksum and is told apart in the message.',
    example: 'Send your API key in the X-Api-Key header.',
  },
  key_revoked: {
    action: 'Use another key of the account. When the account itself is disabled, ask the operator.',
    example: 'The key was revoked or its account is disabled. Use another key.',
  },
  api_disabled: {
    action: 'Wait for the operator to switch the API on; a check once a minute is enough.',
    example: 'The API is switched off at the moment.',
  },
  invalid_request: {
    action:
      'Read the message: it names the field or option and what it takes. Change the request; the same one fails again.',
    example: 'Idempotency-Key: must not have more than 128 characters.',
  },
  invalid_tool: {
    action: 'Take the slug from `GET /v1/tools`. Slugs are exact; titles and marketing names are none.',
    example: 'tool: there is no such tool. GET /v1/tools lists the slugs.',
  },
  invalid_image: {
    action:
      'Send exactly one picture: JPEG, PNG or WebP, at most 20 MB, 100 megapixels and 16,384 pixels along each side. Base64 has no line breaks, and a data URI names one of the three types.',
    example: 'Send exactly one of image_url and image_base64.',
  },
  image_fetch_failed: {
    action:
      'Check that the URL answers 200 with an image content type to anybody, over https and within 10 seconds. Then send the request again, or send the picture as `image_base64`.',
    example: 'image_url: The URL points to a host that is not on the public internet.',
  },
  insufficient_credits: {
    action:
      'Buy a pack, or render at 2K. The Idempotency-Key is not spent: the same request works once the balance covers it. `GET /v1/account` shows the balance.',
    example: 'The balance does not cover this job. Buy a pack, or render at 2K.',
  },
  rate_limited: {
    action:
      'Wait the seconds in `Retry-After`, then go on. `X-RateLimit-Remaining` on every answer says how many requests are left, so that a client can slow down before.',
    example: 'More than 60 requests a minute with this key. Retry in 12 seconds.',
  },
  idempotency_conflict: {
    action:
      'Send the first body again to get its job, or use a new key for the new body. Keys derived from your own record ids do not collide by accident.',
    example:
      'This Idempotency-Key was used with a different body. Send the first body again, or use a new key.',
  },
  job_not_found: {
    action:
      'Stop asking for the job. When it came for an Idempotency-Key, the job of that key was deleted; use a new key to render again.',
    example: 'There is no such job.',
  },
  job_in_progress: {
    action: 'Poll the job until it is `completed` or `failed`, then delete it.',
    example: 'The job is still processing. Delete it once it has ended.',
  },
  webhook_url_rejected: {
    action:
      'Give a public https URL without a user name or password in it, or leave the field out and poll. For tests on your own machine, use a tunnel with a public address.',
    example: 'webhook_url: The URL must begin with https://.',
  },
  payload_too_large: {
    action:
      'Send a smaller picture, or one by `image_url`. At just over 1 MB, look at the `X-Api-Key` header first: it is missing or misspelled.',
    example: 'The body is over 30 MB.',
  },
  generation_failed: {
    action:
      'Read `error` on the job and send another picture or other options as a new job. The images were given back.',
    example: 'The image could not be generated. The charge was refunded.',
  },
  internal_error: {
    action:
      'Send the same request with the same Idempotency-Key again, first after a second and then at growing intervals. Quote the `X-Request-Id` when it goes on.',
    example: 'The service failed. Retry with the same Idempotency-Key.',
  },
  not_found: {
    action: 'Compare the path with the reference. All of them begin with `/v1`.',
    example: 'There is no GET /api/v1/images.',
  },
  method_not_allowed: {
    action: 'Use one of the methods in the `Allow` header.',
    example: 'PUT is not allowed here; use POST.',
  },
};
