import {
  type FailureSample,
  invalidInput,
  misconfiguredKind,
  noResult,
  safety,
  unavailableKind,
  wait,
} from './failure-samples.ts';

const bfl = (status: string) => ({ id: 't1', status, result: null });
const prediction = (status: string, error: string | null = null) => ({
  id: 'p1',
  status,
  output: null,
  error,
});
const fal = (type: string, field = 'prompt') => ({
  detail: [{ loc: ['body', field], msg: 'm', type, input: {} }],
});
const history = (status_str: string, event = 'execution_error', exception_type = 'RuntimeError') => ({
  task: { outputs: {}, status: { status_str, messages: [[event, { exception_type }]] } },
});
const lost = { kind: 'lost' } as const;

/** Responses of upstreams with tasks, as they document them. */
export const TASK_SAMPLES: FailureSample[] = [
  ...['Request Moderated', 'Content Moderated'].map(
    (status): FailureSample => ({
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
    (status): FailureSample => ({
      of: 'bfl',
      row: 'the task failed',
      status: 200,
      json: bfl(status),
      failure: unavailableKind,
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
  ...[
    [{ loc: ['body', 'input_image'], msg: 'bad', type: 't' }],
    [{ loc: ['body'], msg: 'The image is too small', type: 't' }],
    [{ loc: ['body', 'prompt'], msg: 'too long', type: 'string_too_long' }],
    'Invalid image',
  ].map(
    (detail): FailureSample => ({
      of: 'bfl',
      row: 'the image or the prompt was not accepted',
      status: 422,
      json: { detail },
      failure: invalidInput,
    }),
  ),
  {
    of: 'bfl',
    row: 'the request, the model or the address is wrong',
    status: 422,
    json: { detail: [{ loc: ['body', 'width'], msg: 'm', type: 't', input: { input_image: 'QUJD' } }] },
    failure: misconfiguredKind,
  },
  {
    of: 'bfl',
    row: 'the model has other fields',
    status: 422,
    json: { detail: [{ loc: ['body', 'image'], msg: 'Field required', type: 'missing' }] },
    failure: misconfiguredKind,
  },
  { of: 'bfl', row: 'too many tasks at once', status: 429, json: { detail: 'm' }, failure: wait(5000) },
  ...['Failed (E005)', 'It was flagged', 'NSFW content', 'It may be sensitive'].map(
    (error): FailureSample => ({
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
  ...['failed', 'canceled', 'aborted'].flatMap((status) =>
    ['Service is busy (E003)', 'Queue is full (E004)', 'CUDA error'].map(
      (error): FailureSample => ({
        of: 'replicate',
        row: 'the task failed or was stopped',
        status: 200,
        json: prediction(status, error),
        failure: unavailableKind,
        charged: true,
      }),
    ),
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
    failure: misconfiguredKind,
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
  ...[
    ['image_urls', 'a_type_of_tomorrow'],
    ['image_url', 'value_error'],
    ['prompt', 'string_too_long'],
  ].map(
    ([field, type = '']): FailureSample => ({
      of: 'fal',
      row: 'the image or the prompt was not accepted',
      status: 422,
      json: fal(type, field),
      failure: invalidInput,
      charged: true,
    }),
  ),
  ...[
    ['image_url', 'missing'],
    ['image_urls', 'extra_forbidden'],
    ['image_urls', 'list_type'],
  ].map(
    ([field, type = '']): FailureSample => ({
      of: 'fal',
      row: 'the model has other fields',
      status: 422,
      json: fal(type, field),
      failure: misconfiguredKind,
    }),
  ),
  ...['output_format', 'num_images'].map(
    (field): FailureSample => ({
      of: 'fal',
      row: 'the request, the model or the address is wrong',
      status: 422,
      json: fal('a_type_of_tomorrow', field),
      failure: misconfiguredKind,
    }),
  ),
  ...['image_too_large', 'image_too_small', 'image_load_error', 'file_download_error'].map(
    (type): FailureSample => ({
      of: 'fal',
      row: 'the image was not accepted',
      status: 422,
      json: fal(type),
      failure: invalidInput,
      charged: true,
    }),
  ),
  ...[
    [503, 'runner_scheduling_failure'],
    [503, 'runner_connection_timeout'],
    [503, 'runner_disconnected'],
    [503, 'runner_connection_refused'],
    [504, 'startup_timeout'],
    [504, 'request_timeout'],
  ].map(
    ([status, error_type]): FailureSample => ({
      of: 'fal',
      row: 'the runner did not start, or broke',
      status: Number(status),
      json: { detail: 'm', error_type },
      failure: unavailableKind,
    }),
  ),
  { of: 'fal', row: 'the task is unknown', status: 404, json: {}, failure: lost },
  {
    of: 'fal',
    row: 'the account is locked',
    status: 403,
    json: { detail: 'locked' },
    failure: misconfiguredKind,
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
    failure: unavailableKind,
    charged: true,
  },
  ...[200, 400].map(
    (status): FailureSample => ({
      of: 'comfyui',
      row: 'the graph is invalid',
      status,
      json: { node_errors: { 3: { errors: [], dependent_outputs: ['4'], class_type: 'LoadImage' } } },
      failure: misconfiguredKind,
    }),
  ),
  {
    of: 'comfyui',
    row: 'the task was interrupted',
    status: 200,
    json: history('error', 'execution_interrupted'),
    failure: unavailableKind,
    charged: true,
  },
  {
    of: 'comfyui',
    row: 'the image was not accepted',
    status: 200,
    json: {
      task: {
        outputs: {},
        status: { status_str: 'error', messages: [['execution_error', { node_type: 'LoadImage' }]] },
      },
    },
    failure: invalidInput,
  },
  {
    of: 'comfyui',
    row: 'the graph failed',
    status: 200,
    json: history('error'),
    failure: unavailableKind,
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
];
