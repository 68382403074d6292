import type { UpstreamTask } from '../../domain/generator-call.ts';
import type { Egress } from '../../egress/egress.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import type { UpstreamResponse } from '../upstream/classify.ts';
import {
  askedToWait,
  type FailureRow,
  lost,
  misconfigured,
  refusal,
  retryAfterMs,
  unavailable,
} from '../upstream/classify.ts';
import { type CallContext, createUpstreamClient, TIMING, type UpstreamClient } from '../upstream/client.ts';
import { imageInput } from '../upstream/image-input.ts';
import { idAt, textAt } from '../upstream/json.ts';
import { createTaskGenerator, type TaskShapes } from '../upstream/task.ts';

/** Only the text of a failed prediction says why it failed. */
export const REPLICATE_ROWS: readonly FailureRow[] = [
  {
    row: 'the prompt or the image was flagged',
    status: [200],
    at: 'error',
    matches: /E005|flagged|NSFW|sensitive/i,
    failure: refusal('safety'),
  },
  {
    row: 'the task made no image',
    status: [200],
    at: 'status',
    matches: /^succeeded$/,
    failure: refusal('no_result'),
  },
  {
    row: 'the task failed or was stopped',
    status: [200],
    at: 'status',
    matches: /^(?:failed|canceled|aborted)$/,
    failure: unavailable,
    mayBeCharged: true,
  },
  {
    row: 'the task is unknown',
    status: [404],
    at: 'detail',
    matches: /not be found|not found/i,
    failure: lost,
  },
  { row: 'the money is used up', status: [402], failure: misconfigured },
  { row: 'the rate limit is reached', status: [429], failure: askedToWait(resetMs) },
];

/** "Your rate limit resets in ~30s." */
function resetMs(response: UpstreamResponse): number | undefined {
  const seconds = /resets in ~?(\d{1,5})s/.exec(textAt(response.json, 'detail') ?? '')?.[1];
  return seconds === undefined ? retryAfterMs(response) : Number(seconds) * 1000;
}

/** Tells Replicate to stop a task that nobody waits for any more. */
const CANCEL_AFTER = '30m';

/** Replicate: a task with an id. */
export function createReplicate(
  { apiKey, baseUrl, model, imageField, input }: GeneratorConfig['replicate'],
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'replicate',
    egress,
    baseUrl,
    credentials: { authorization: `Bearer ${apiKey}` },
    rows: REPLICATE_ROWS,
  });
  const shapes: TaskShapes = {
    submit: (request) => submit(client, model, request, imageInput(request, imageField, input)),
    poll: (task, request) => poll(client, task, request),
    cancel: async ({ id }, signal) => {
      const url = `/v1/predictions/${encodeURIComponent(id)}/cancel`;
      await client.call({ method: 'POST', url, instruction: '', signal });
    },
  };
  return createTaskGenerator({ name: 'replicate', model, charges: true }, shapes, timing);
}

async function submit(
  client: UpstreamClient,
  model: string,
  { instruction, signal }: UpstreamRequest,
  input: object,
): Promise<UpstreamTask> {
  const [name, version] = model.split(':');
  const response = await client.call({
    method: 'POST',
    url: version === undefined ? `/v1/models/${name}/predictions` : '/v1/predictions',
    headers: { 'cancel-after': CANCEL_AFTER },
    json: version === undefined ? { input } : { version, input },
    submits: true,
    instruction,
    signal,
  });
  const id = idAt(response.json, 'id');
  if (id === undefined) throw client.failure(response);
  return { id };
}

async function poll(
  client: UpstreamClient,
  { id }: UpstreamTask,
  { instruction, signal }: CallContext,
): Promise<RenderedImage | undefined> {
  const url = `/v1/predictions/${encodeURIComponent(id)}`;
  const response = await client.call({ method: 'GET', url, instruction, signal });
  const status = textAt(response.json, 'status');
  if (status === 'starting' || status === 'processing') return undefined;
  const output = textAt(response.json, 'output') ?? textAt(response.json, 'output.*');
  if (status !== 'succeeded' || output === undefined) throw client.failure(response);
  return { bytes: await client.download(output, signal), costUsd: null };
}
