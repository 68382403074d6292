import type { GeneratorFailure } from '../../../../lib/generators/errors.ts';

export interface FailureSample {
  of: string;
  row: string;
  status: number;
  json?: unknown;
  headers?: Record<string, string>;
  failure: GeneratorFailure;
  charged?: true;
  submits?: boolean;
}

export const safety = { kind: 'refused', reason: 'safety' } as const;
export const noResult = { kind: 'refused', reason: 'no_result' } as const;
export const invalidInput = { kind: 'refused', reason: 'invalid_input' } as const;
export const misconfiguredKind = { kind: 'misconfigured' } as const;
export const unavailableKind = { kind: 'unavailable' } as const;
export const wait = (retryAfterMs: number) => ({ kind: 'unavailable', retryAfterMs }) as const;

const openai = (type: string, code: string, param: string | null = null) => ({
  error: { message: 'm', type, param, code },
});
const gemini = (status: string, details: unknown[] = [], message = 'm') => ({
  error: { code: 400, message, status, details },
});
const finished = (finishReason: string) => ({ candidates: [{ finishReason, finishMessage: 'm', index: 0 }] });

/** Responses as upstreams document them: those of one call, and what all have in common. */
export const SAMPLES: FailureSample[] = [
  {
    of: 'gemini',
    row: 'the prompt was blocked',
    status: 200,
    json: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
    failure: safety,
    charged: true,
  },
  ...[
    'SAFETY',
    'IMAGE_SAFETY',
    'PROHIBITED_CONTENT',
    'IMAGE_PROHIBITED_CONTENT',
    'BLOCKLIST',
    'SPII',
    'RECITATION',
    'IMAGE_RECITATION',
  ].map(
    (reason): FailureSample => ({
      of: 'gemini',
      row: 'the result was blocked',
      status: 200,
      json: finished(reason),
      failure: safety,
      charged: true,
    }),
  ),
  ...['NO_IMAGE', 'IMAGE_OTHER', 'OTHER', 'STOP', 'MAX_TOKENS'].map(
    (reason): FailureSample => ({
      of: 'gemini',
      row: 'the model made no image',
      status: 200,
      json: finished(reason),
      failure: noResult,
      charged: true,
    }),
  ),
  {
    of: 'gemini',
    row: 'the key is invalid',
    status: 400,
    json: gemini('INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }]),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: 'the account cannot use the model',
    status: 400,
    json: gemini('FAILED_PRECONDITION'),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: 'the image or the prompt was not accepted',
    status: 400,
    json: gemini('INVALID_ARGUMENT', [], 'Unable to process input image.'),
    failure: invalidInput,
  },
  {
    of: 'gemini',
    row: 'the settings do not suit the model',
    status: 400,
    json: gemini('INVALID_ARGUMENT', [], "Invalid value at 'generation_config.image_config.image_size'"),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: "the day's quota is used up",
    status: 429,
    json: gemini('RESOURCE_EXHAUSTED', [{ violations: [{ quotaId: 'RequestsPerDayPerProject' }] }]),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: 'the rate limit is reached',
    status: 429,
    json: gemini('RESOURCE_EXHAUSTED', [{ retryDelay: '17s' }]),
    failure: wait(17_000),
  },
  {
    of: 'openai',
    row: 'there is no image',
    status: 200,
    json: { created: 1, data: [] },
    failure: noResult,
    charged: true,
  },
  ...['moderation_blocked', 'image_content_policy_violation', 'content_policy_violation'].map(
    (code): FailureSample => ({
      of: 'openai',
      row: 'the prompt or the image was moderated',
      status: 400,
      json: openai('image_generation_user_error', code),
      failure: safety,
      charged: true,
    }),
  ),
  ...['invalid_image_file', 'image_parse_error', 'image_too_large', 'unsupported_image_media_type'].map(
    (code): FailureSample => ({
      of: 'openai',
      row: 'the image was not accepted',
      status: 400,
      json: openai('invalid_request_error', code),
      failure: invalidInput,
    }),
  ),
  ...['image', 'image[0]', 'prompt'].map(
    (param): FailureSample => ({
      of: 'openai',
      row: 'the image or the prompt was not accepted',
      status: 400,
      json: openai('invalid_request_error', 'a_code_of_tomorrow', param),
      failure: invalidInput,
    }),
  ),
  {
    of: 'openai',
    row: 'the model has other parameters',
    status: 400,
    json: openai('invalid_request_error', 'unknown_parameter', 'image'),
    failure: misconfiguredKind,
  },
  {
    of: 'openai',
    row: 'the request, the model or the address is wrong',
    status: 400,
    json: openai('invalid_request_error', 'invalid_value', 'quality'),
    failure: misconfiguredKind,
  },
  {
    of: 'openai',
    row: 'the money is used up',
    status: 429,
    json: openai('insufficient_quota', 'x'),
    failure: misconfiguredKind,
  },
  ...[
    'credit_balance_exhausted',
    'billing_hard_limit_reached',
    'monthly_spend_limit_exceeded',
    'project_usage_limit_exceeded',
  ].map(
    (code): FailureSample => ({
      of: 'openai',
      row: 'a spending limit is reached',
      status: 429,
      json: openai('x', code),
      failure: misconfiguredKind,
    }),
  ),
  ...['server_is_overloaded', 'slow_down'].map(
    (code): FailureSample => ({
      of: 'openai',
      row: 'the upstream is overloaded',
      status: 503,
      json: openai('service_unavailable_error', code),
      failure: unavailableKind,
    }),
  ),
  {
    of: 'openai',
    row: 'the rate limit is reached',
    status: 429,
    json: openai('rate_limit_error', 'rate_limit_exceeded'),
    headers: { 'retry-after-ms': '3500' },
    failure: wait(3500),
  },
  {
    of: 'openai',
    row: 'the request, the model or the address is wrong',
    status: 404,
    json: openai('invalid_request_error', 'model_not_found'),
    failure: misconfiguredKind,
    submits: true,
  },
  {
    of: 'gemini',
    row: 'the request, the model or the address is wrong',
    status: 404,
    json: gemini('NOT_FOUND'),
    failure: misconfiguredKind,
    submits: true,
  },
  {
    of: 'replicate',
    row: 'the request, the model or the address is wrong',
    status: 422,
    json: { title: 'Input validation failed', detail: 'm', status: 422 },
    failure: misconfiguredKind,
    submits: true,
  },
  ...['replicate', 'bfl', 'fal'].map(
    (of): FailureSample => ({
      of,
      row: 'the request, the model or the address is wrong',
      status: 404,
      json: { detail: 'The requested resource could not be found.' },
      failure: misconfiguredKind,
      submits: true,
    }),
  ),
  {
    of: 'openai',
    row: 'the key is refused',
    status: 403,
    json: openai('invalid_request_error', 'unsupported_country_region_territory'),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: 'the key is refused',
    status: 403,
    json: gemini('PERMISSION_DENIED'),
    failure: misconfiguredKind,
  },
  {
    of: 'gemini',
    row: 'the money is used up',
    status: 402,
    json: gemini('RESOURCE_EXHAUSTED'),
    failure: misconfiguredKind,
  },
  {
    of: 'bfl',
    row: 'the money is used up',
    status: 402,
    json: { detail: 'Insufficient credits' },
    failure: misconfiguredKind,
  },
  {
    of: 'bfl',
    row: 'too many tasks at once',
    status: 429,
    json: { detail: 'm' },
    headers: { 'retry-after': '9' },
    failure: wait(9000),
  },
  {
    of: 'gemini',
    row: 'the model made no image',
    status: 200,
    json: { candidates: [{ content: { parts: [{ text: 'I cannot' }] }, finishReason: 'STOP' }] },
    failure: noResult,
    charged: true,
  },
  { of: 'any', row: 'the body is too large', status: 413, failure: invalidInput },
  { of: 'any', row: 'the key is refused', status: 401, failure: misconfiguredKind },
  { of: 'any', row: 'the key is refused', status: 403, failure: misconfiguredKind },
  { of: 'any', row: 'the money is used up', status: 402, failure: misconfiguredKind },
  {
    of: 'any',
    row: 'the rate limit is reached',
    status: 429,
    headers: { 'retry-after': '12' },
    failure: wait(12_000),
  },
  ...[408, 502, 504].map(
    (status): FailureSample => ({
      of: 'any',
      row: 'a gateway gave up waiting',
      status,
      failure: unavailableKind,
      charged: true,
      submits: true,
    }),
  ),
  ...[409, 500, 503, 529].map(
    (status): FailureSample => ({
      of: 'any',
      row: 'the upstream is overloaded or down',
      status,
      failure: unavailableKind,
    }),
  ),
  ...[400, 404, 405, 422].map(
    (status): FailureSample => ({
      of: 'any',
      row: 'the request, the model or the address is wrong',
      status,
      failure: misconfiguredKind,
    }),
  ),
];
