import type { GeneratorFailure } from '../../../generators/errors.ts';

export interface Sample {
  of: string;
  row: string;
  status: number;
  json?: unknown;
  headers?: Record<string, string>;
  failure: GeneratorFailure;
  charged?: true;
  submits?: boolean;
}

const safety = { kind: 'refused', reason: 'safety' } as const;
const noResult = { kind: 'refused', reason: 'no_result' } as const;
const invalidInput = { kind: 'refused', reason: 'invalid_input' } as const;
const misconfigured = { kind: 'misconfigured' } as const;
const unavailable = { kind: 'unavailable' } as const;
const lost = { kind: 'lost' } as const;
const wait = (retryAfterMs: number) => ({ kind: 'unavailable', retryAfterMs }) as const;

const openai = (type: string, code: string) => ({ error: { message: 'm', type, param: null, code } });
const gemini = (status: string, details: unknown[] = [], message = 'm') => ({
  error: { code: 400, message, status, details },
});
const finished = (finishReason: string) => ({ candidates: [{ finishReason, finishMessage: 'm', index: 0 }] });
const bfl = (status: string) => ({ id: 't1', status, result: null });
const prediction = (status: string, error: string | null = null) => ({
  id: 'p1',
  status,
  output: null,
  error,
});
const fal = (type: string) => ({ detail: [{ loc: ['body', 'prompt'], msg: 'm', type, input: {} }] });
const history = (status_str: string, event = 'execution_error', exception_type = 'RuntimeError') => ({
  task: { outputs: {}, status: { status_str, messages: [[event, { exception_type }]] } },
});

/** Responses as the upstreams document them. */
export const SAMPLES: Sample[] = [
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
    (reason): Sample => ({
      of: 'gemini',
      row: 'the result was blocked',
      status: 200,
      json: finished(reason),
      failure: safety,
      charged: true,
    }),
  ),
  ...['NO_IMAGE', 'IMAGE_OTHER', 'OTHER', 'STOP', 'MAX_TOKENS'].map(
    (reason): Sample => ({
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
    failure: misconfigured,
  },
  {
    of: 'gemini',
    row: 'the account cannot use the model',
    status: 400,
    json: gemini('FAILED_PRECONDITION'),
    failure: misconfigured,
  },
  {
    of: 'gemini',
    row: 'the image was not accepted',
    status: 400,
    json: gemini('INVALID_ARGUMENT', [], 'Unable to process input image.'),
    failure: invalidInput,
  },
  {
    of: 'gemini',
    row: "the day's quota is used up",
    status: 429,
    json: gemini('RESOURCE_EXHAUSTED', [{ violations: [{ quotaId: 'RequestsPerDayPerProject' }] }]),
    failure: misconfigured,
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
    (code): Sample => ({
      of: 'openai',
      row: 'the prompt or the image was moderated',
      status: 400,
      json: openai('image_generation_user_error', code),
      failure: safety,
      charged: true,
    }),
  ),
  ...['invalid_image_file', 'image_parse_error', 'image_too_large', 'unsupported_image_media_type'].map(
    (code): Sample => ({
      of: 'openai',
      row: 'the image was not accepted',
      status: 400,
      json: openai('invalid_request_error', code),
      failure: invalidInput,
    }),
  ),
  {
    of: 'openai',
    row: 'the money is used up',
    status: 429,
    json: openai('insufficient_quota', 'x'),
    failure: misconfigured,
  },
  ...[
    'credit_balance_exhausted',
    'billing_hard_limit_reached',
    'monthly_spend_limit_exceeded',
    'project_usage_limit_exceeded',
  ].map(
    (code): Sample => ({
      of: 'openai',
      row: 'a spending limit is reached',
      status: 429,
      json: openai('x', code),
      failure: misconfigured,
    }),
  ),
  ...['server_is_overloaded', 'slow_down'].map(
    (code): Sample => ({
      of: 'openai',
      row: 'the upstream is overloaded',
      status: 503,
      json: openai('service_unavailable_error', code),
      failure: unavailable,
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
  ...['Request Moderated', 'Content Moderated'].map(
    (status): Sample => ({
      of: 'bfl',
      row: 'the prompt or the image was moderated',
      status: 200,
      json: bfl(status),
      failure: safety,
      charged: true,
    }),
  ),
  {
    of: 'bfl',
    row: 'the task is unknown',
    status: 200,
    json: bfl('Task not found'),
    failure: lost,
    charged: true,
  },
  { of: 'bfl', row: 'the task is unknown to this server', status: 404, json: {}, failure: lost },
  ...['Error', 'Failed'].map(
    (status): Sample => ({
      of: 'bfl',
      row: 'the task failed',
      status: 200,
      json: bfl(status),
      failure: unavailable,
      charged: true,
    }),
  ),
  {
    of: 'bfl',
    row: 'the task made no image',
    status: 200,
    json: bfl('Ready'),
    failure: noResult,
    charged: true,
  },
  {
    of: 'bfl',
    row: 'the image was not accepted',
    status: 422,
    json: { detail: [{ loc: ['body', 'input_image'], msg: 'bad', type: 't' }] },
    failure: invalidInput,
  },
  { of: 'bfl', row: 'too many tasks at once', status: 429, json: { detail: 'm' }, failure: wait(5000) },
  ...['flagged as sensitive (E005)', 'NSFW content'].map(
    (error): Sample => ({
      of: 'replicate',
      row: 'the prompt or the image was flagged',
      status: 200,
      json: prediction('failed', error),
      failure: safety,
      charged: true,
    }),
  ),
  {
    of: 'replicate',
    row: 'the task made no image',
    status: 200,
    json: prediction('succeeded'),
    failure: noResult,
    charged: true,
  },
  ...['failed', 'canceled', 'aborted'].map(
    (status): Sample => ({
      of: 'replicate',
      row: 'the task failed or was stopped',
      status: 200,
      json: prediction(status, 'Service is busy (E003)'),
      failure: unavailable,
      charged: true,
    }),
  ),
  {
    of: 'replicate',
    row: 'the task is unknown',
    status: 404,
    json: { detail: 'The requested resource could not be found.' },
    failure: lost,
  },
  {
    of: 'replicate',
    row: 'the money is used up',
    status: 402,
    json: { title: 'Insufficient credit' },
    failure: misconfigured,
  },
  {
    of: 'replicate',
    row: 'the rate limit is reached',
    status: 429,
    json: { detail: 'Request was throttled. Your rate limit resets in ~30s.' },
    failure: wait(30_000),
  },
  {
    of: 'fal',
    row: 'the prompt or the image was moderated',
    status: 422,
    json: fal('content_policy_violation'),
    failure: safety,
    charged: true,
  },
  ...['image_too_large', 'image_too_small', 'file_download_error'].map(
    (type): Sample => ({
      of: 'fal',
      row: 'the image was not accepted',
      status: 422,
      json: fal(type),
      failure: invalidInput,
      charged: true,
    }),
  ),
  { of: 'fal', row: 'the task is unknown', status: 404, json: {}, failure: lost },
  {
    of: 'fal',
    row: 'the account is locked',
    status: 403,
    json: { detail: 'locked' },
    failure: misconfigured,
  },
  {
    of: 'fal',
    row: 'the image is blacked out as unsafe',
    status: 200,
    json: { images: [{ url: 'u' }], has_nsfw_concepts: [true] },
    failure: safety,
    charged: true,
  },
  {
    of: 'fal',
    row: 'there is no image',
    status: 200,
    json: { images: [] },
    failure: noResult,
    charged: true,
  },
  {
    of: 'comfyui',
    row: 'the machine ran out of memory',
    status: 200,
    json: history('error', 'execution_error', 'torch.OutOfMemoryError'),
    failure: unavailable,
    charged: true,
  },
  ...[200, 400].map(
    (status): Sample => ({
      of: 'comfyui',
      row: 'the graph is invalid',
      status,
      json: { node_errors: { 3: { errors: [], dependent_outputs: ['4'], class_type: 'LoadImage' } } },
      failure: misconfigured,
    }),
  ),
  {
    of: 'comfyui',
    row: 'the task was interrupted',
    status: 200,
    json: history('error', 'execution_interrupted'),
    failure: unavailable,
    charged: true,
  },
  {
    of: 'comfyui',
    row: 'the graph failed',
    status: 200,
    json: history('error'),
    failure: misconfigured,
    charged: true,
  },
  {
    of: 'comfyui',
    row: 'there is no image',
    status: 200,
    json: history('success'),
    failure: noResult,
    charged: true,
  },
  { of: 'comfyui', row: 'the task is unknown', status: 200, json: {}, failure: lost, charged: true },
  { of: 'any', row: 'the body is too large', status: 413, failure: invalidInput },
  { of: 'any', row: 'the key is refused', status: 401, failure: misconfigured },
  { of: 'any', row: 'the key is refused', status: 403, failure: misconfigured },
  { of: 'any', row: 'the money is used up', status: 402, failure: misconfigured },
  {
    of: 'any',
    row: 'the rate limit is reached',
    status: 429,
    headers: { 'retry-after': '12' },
    failure: wait(12_000),
  },
  ...[408, 502, 504].map(
    (status): Sample => ({
      of: 'any',
      row: 'a gateway gave up waiting',
      status,
      failure: unavailable,
      charged: true,
      submits: true,
    }),
  ),
  ...[409, 500, 503, 529].map(
    (status): Sample => ({
      of: 'any',
      row: 'the upstream is overloaded or down',
      status,
      failure: unavailable,
    }),
  ),
  ...[400, 404, 405, 422].map(
    (status): Sample => ({
      of: 'any',
      row: 'the request, the model or the address is wrong',
      status,
      failure: misconfigured,
    }),
  ),
];
