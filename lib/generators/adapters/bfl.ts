import type { UpstreamTask } from '../../domain/generator-call.ts';
import type { Egress } from '../../egress/egress.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import { askedSize } from '../upstream/asked-size.ts';
import {
  askedToWait,
  type FailureRow,
  lost,
  misconfigured,
  refusal,
  retryAfterMs,
  unavailable,
  WRONG_FIELDS,
} from '../upstream/classify.ts';
import { type CallContext, createUpstreamClient, TIMING, type UpstreamClient } from '../upstream/client.ts';
import { idAt, numberAt, plausibleCost, textAt } from '../upstream/json.ts';
import { createTaskGenerator, type TaskShapes } from '../upstream/task.ts';

/**
 * The documents of Black Forest Labs disagree about bodies. So the HTTP status decides if it can.
 */
export const BFL_ROWS: readonly FailureRow[] = [
  {
    row: 'the prompt or the image was moderated',
    status: [200],
    at: 'status',
    matches: /^(?:Request|Content) Moderated$/,
    failure: refusal('safety'),
  },
  { row: 'the task is unknown', at: 'status', matches: /^Task not found$/, failure: lost },
  { row: 'the task is unknown to this server', status: [404], failure: lost },
  {
    row: 'the task failed',
    status: [200],
    at: 'status',
    matches: /^(?:Error|Failed)$/,
    failure: unavailable,
    mayBeCharged: true,
  },
  {
    row: 'the task made no image',
    status: [200],
    at: 'status',
    matches: /^Ready$/,
    failure: refusal('no_result'),
  },
  {
    row: 'the model has other fields',
    status: [422],
    at: 'detail.*.type',
    matches: WRONG_FIELDS,
    failure: misconfigured,
  },
  ...['detail', 'detail.*.loc.*', 'detail.*.msg'].map(
    (at): FailureRow => ({
      row: 'the image or the prompt was not accepted',
      status: [422],
      at,
      matches: /image|prompt/i,
      failure: refusal('invalid_input'),
      mayBeCharged: false,
    }),
  ),
  { row: 'too many tasks at once', status: [429], failure: askedToWait(retryAfterMs) },
];

/** A credit is a cent. */
const USD_PER_CREDIT = 0.01;
const MULTIPLE = 16;
const MOST_PIXELS = 4_000_000;

/** Black Forest Labs: a task with an id, polled at the URL that its submission returns. */
export function createBfl(
  { apiKey, baseUrl, model }: GeneratorConfig['bfl'],
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'bfl',
    egress,
    baseUrl,
    credentials: { 'x-key': apiKey },
    keyDomain: 'bfl.ai',
    rows: BFL_ROWS,
  });
  const shapes: TaskShapes = {
    submit: (request) => submit(client, model, request),
    poll: (task, request) => poll(client, task, request),
  };
  return createTaskGenerator({ name: 'bfl', model, charges: true }, shapes, timing);
}

async function submit(
  client: UpstreamClient,
  model: string,
  request: UpstreamRequest,
): Promise<UpstreamTask> {
  const { instruction, image, signal } = request;
  const response = await client.call({
    method: 'POST',
    url: `/v1/${model}`,
    json: {
      prompt: instruction,
      input_image: image.toString('base64'),
      ...askedSize(request, { multiple: MULTIPLE, mostPixels: MOST_PIXELS }),
      output_format: 'jpeg',
    },
    submits: true,
    instruction,
    signal,
  });
  const id = idAt(response.json, 'id');
  const pollingUrl = idAt(response.json, 'polling_url');
  if (id === undefined || pollingUrl === undefined) throw client.failure(response);
  const credits = numberAt(response.json, 'cost');
  return { id, pollingUrl, ...(credits === undefined ? {} : { costUsd: String(credits * USD_PER_CREDIT) }) };
}

async function poll(
  client: UpstreamClient,
  { pollingUrl = '', costUsd }: UpstreamTask,
  { instruction, signal }: CallContext,
): Promise<RenderedImage | undefined> {
  const response = await client.call({ method: 'GET', url: pollingUrl, instruction, signal });
  if (textAt(response.json, 'status') === 'Pending') return undefined;
  const sample = textAt(response.json, 'result.sample');
  if (sample === undefined) throw client.failure(response);
  const bytes = await client.download(sample, signal);
  return { bytes, costUsd: costUsd === undefined ? null : plausibleCost(Number(costUsd)) };
}
