import type { UpstreamTask } from '../../domain/generator-call.ts';
import type { Egress } from '../../egress/egress.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import {
  type FailureRow,
  lost,
  misconfigured,
  OF_THE_JOB,
  refusal,
  unavailable,
  WRONG_FIELDS,
} from '../upstream/classify.ts';
import { type CallContext, createUpstreamClient, TIMING, type UpstreamClient } from '../upstream/client.ts';
import { imageInput } from '../upstream/image-input.ts';
import { idAt, textAt, valuesAt } from '../upstream/json.ts';
import { createTaskGenerator, type TaskShapes } from '../upstream/task.ts';

export const FAL_ROWS: readonly FailureRow[] = [
  {
    row: 'the prompt or the image was moderated',
    status: [422],
    at: 'detail.*.type',
    matches: /^content_policy_violation$/,
    failure: refusal('safety'),
  },
  {
    row: 'the image was not accepted',
    status: [422],
    at: 'detail.*.type',
    matches:
      /^(?:image_[a-z_]+|unsupported_image_format|face_detection_error|file_too_large|file_download_error)$/,
    failure: refusal('invalid_input'),
  },
  {
    row: 'the model has other fields',
    status: [422],
    at: 'detail.*.type',
    matches: WRONG_FIELDS,
    failure: misconfigured,
  },
  {
    row: 'the image or the prompt was not accepted',
    status: [422],
    at: 'detail.*.loc.*',
    matches: OF_THE_JOB,
    failure: refusal('invalid_input'),
  },
  { row: 'the runner did not start, or broke', status: [503, 504], at: 'error_type', failure: unavailable },
  { row: 'the task is unknown', status: [404], failure: lost },
  { row: 'the account is locked', status: [403], failure: misconfigured, mayBeCharged: false },
  {
    row: 'the image is blacked out as unsafe',
    status: [200],
    at: 'has_nsfw_concepts.0',
    matches: /^true$/,
    failure: refusal('safety'),
  },
  { row: 'there is no image', status: [200], failure: refusal('no_result') },
];

/** Results are downloaded at once, and are not kept longer than an hour. */
const LIFECYCLE = JSON.stringify({ expiration_duration_seconds: 3600 });

/** fal: a task with an id in a queue, with the URLs that its submission returns. */
export function createFal(
  { apiKey, baseUrl, model, imageField, input }: GeneratorConfig['fal'],
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'fal',
    egress,
    baseUrl,
    credentials: { authorization: `Key ${apiKey}` },
    keyDomain: 'fal.run',
    rows: FAL_ROWS,
  });
  const shapes: TaskShapes = {
    submit: (request) => submit(client, model, request, imageInput(request, imageField, input)),
    poll: (task, request) => poll(client, task, request),
    cancel: async ({ cancelUrl: url = '' }, signal) => {
      await client.call({ method: 'PUT', url, instruction: '', signal });
    },
  };
  return createTaskGenerator({ name: 'fal', model, charges: true }, shapes, timing);
}

async function submit(
  client: UpstreamClient,
  model: string,
  { instruction, signal }: UpstreamRequest,
  input: object,
): Promise<UpstreamTask> {
  const response = await client.call({
    method: 'POST',
    url: `/${model}`,
    headers: { 'x-fal-object-lifecycle-preference': LIFECYCLE },
    json: input,
    submits: true,
    instruction,
    signal,
  });
  const [id, statusUrl, responseUrl, cancelUrl] = [
    'request_id',
    'status_url',
    'response_url',
    'cancel_url',
  ].map((name) => idAt(response.json, name));
  if (id === undefined || statusUrl === undefined || responseUrl === undefined)
    throw client.failure(response);
  return { id, statusUrl, responseUrl, ...(cancelUrl === undefined ? {} : { cancelUrl }) };
}

/** COMPLETED does not mean success. The response says whether the task succeeded. */
async function poll(
  client: UpstreamClient,
  { statusUrl = '', responseUrl = '' }: UpstreamTask,
  { instruction, signal }: CallContext,
): Promise<RenderedImage | undefined> {
  const get = { method: 'GET', instruction, signal } as const;
  const status = await client.call({ ...get, url: statusUrl });
  if (textAt(status.json, 'status') !== 'COMPLETED') return undefined;
  const response = await client.call({ ...get, url: responseUrl, endsTask: true });
  const isBlackedOut = valuesAt(response.json, 'has_nsfw_concepts.0')[0] === true;
  const image = textAt(response.json, 'images.*.url') ?? textAt(response.json, 'image.url');
  if (isBlackedOut || image === undefined) throw client.failure(response);
  return { bytes: await client.download(image, signal), costUsd: null };
}
