import type { UpstreamTask } from '../../domain/generator-call.ts';
import type { Egress } from '../../egress/egress.ts';
import { multipart } from '../../egress/multipart.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import { askedSize } from '../upstream/asked-size.ts';
import type { UpstreamResponse } from '../upstream/classify.ts';
import { type FailureRow, lost, misconfigured, refusal, unavailable } from '../upstream/classify.ts';
import {
  type CallContext,
  createUpstreamClient,
  MAX_IMAGE_BYTES,
  TIMING,
  type UpstreamClient,
} from '../upstream/client.ts';
import { idAt, textAt, valuesAt } from '../upstream/json.ts';
import { createTaskGenerator, type TaskShapes } from '../upstream/task.ts';
import { fillTemplate } from '../upstream/template.ts';
import { type ComfyuiGraph, parseGraph } from './comfyui-graph.ts';

/** A task's history is an object with one entry, its own. */
export const COMFYUI_ROWS: readonly FailureRow[] = [
  { row: 'the graph is invalid', at: 'node_errors.*', failure: misconfigured, mayBeCharged: false },
  {
    row: 'the machine ran out of memory',
    at: '*.status.messages.*.1.exception_type',
    matches: /OutOfMemory/,
    failure: unavailable,
    mayBeCharged: true,
  },
  {
    row: 'the task was interrupted',
    at: '*.status.messages.*.0',
    matches: /^execution_interrupted$/,
    failure: unavailable,
    mayBeCharged: true,
  },
  {
    row: 'the image was not accepted',
    at: '*.status.messages.*.1.node_type',
    matches: /^LoadImage/,
    failure: refusal('invalid_input'),
    mayBeCharged: false,
  },
  {
    row: 'the graph failed',
    at: '*.status.status_str',
    matches: /^error$/,
    failure: unavailable,
    mayBeCharged: true,
  },
  {
    row: 'there is no image',
    at: '*.status.status_str',
    matches: /^success$/,
    failure: refusal('no_result'),
  },
  { row: 'the task is unknown', status: [200], failure: lost },
];

export interface ComfyuiOptions extends Pick<GeneratorConfig['comfyui'], 'baseUrl' | 'outputNode'> {
  /** The graph in ComfyUI's API format, with placeholders. */
  graph: string;
}

interface Comfyui extends ComfyuiGraph {
  client: UpstreamClient;
}

const SIZE_LIMITS = { multiple: 16, mostPixels: 4_000_000 };

/**
 * ComfyUI on the operator's own machine: a task whose id is the job's, so that it can always be
 * found again.
 */
export function createComfyui(
  { baseUrl, outputNode, graph }: ComfyuiOptions,
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'comfyui',
    egress,
    baseUrl,
    credentials: {},
    rows: COMFYUI_ROWS,
  });
  const comfyui: Comfyui = { client, ...parseGraph(graph, outputNode) };
  const shapes: TaskShapes = {
    submit: (request) => submit(comfyui, request),
    poll: (task, request) => poll(comfyui, task.id, request),
    cancel: (task, signal) => cancel(client, task.id, signal),
  };
  return createTaskGenerator({ name: 'comfyui', model: 'graph', charges: false }, shapes, timing);
}

/** Submits nothing if an earlier attempt has submitted the task, and the response was lost. */
async function submit({ client, nodes, output }: Comfyui, request: UpstreamRequest): Promise<UpstreamTask> {
  const { key, instruction, signal } = request;
  // The queue comes first: a task moves from the queue to the history, and not back.
  if (await isQueued(client, key, request)) return { id: key };
  const { entry } = await historyOf(client, key, request);
  if (textAt(entry, 'status.status_str') === 'success') return { id: key };
  const image = await upload(client, request);
  const values = {
    instruction,
    image,
    ...askedSize(request, SIZE_LIMITS),
    seed: Number.parseInt(key.slice(0, 8), 16),
  };
  const json = { prompt: fillTemplate(nodes, values), prompt_id: key, client_id: key };
  const response = await client.call({
    method: 'POST',
    url: '/prompt',
    json,
    submits: true,
    instruction,
    signal,
  });
  // Older servers choose an id of their own.
  const id = idAt(response.json, 'prompt_id');
  // The server runs the valid part of a graph, and says which outputs it leaves out.
  const skipped = valuesAt(response.json, 'node_errors.*.dependent_outputs.*');
  if (id === undefined || skipped.includes(output)) throw client.failure(response);
  return { id };
}

/** Uploads the input. @returns the name under which the server has stored it */
async function upload(
  client: UpstreamClient,
  { key, image, mime, instruction, signal }: UpstreamRequest,
): Promise<string> {
  const form = await multipart([
    ['image', { bytes: image, filename: `${key}.jpg`, type: mime }],
    ['overwrite', 'true'],
  ]);
  const request = { method: 'POST', url: '/upload/image', instruction, signal } as const;
  const { json } = await client.call({ ...request, ...form });
  const folder = textAt(json, 'subfolder');
  return [folder, textAt(json, 'name')].filter(Boolean).join('/');
}

async function poll(
  { client, output }: Comfyui,
  id: string,
  { instruction, signal }: CallContext,
): Promise<RenderedImage | undefined> {
  const about = { instruction, signal };
  const before = await historyOf(client, id, about);
  if (textAt(before.entry, 'status.status_str') !== 'success' && (await isQueued(client, id, about)))
    return undefined;
  // The task may have ended between the two calls. Then neither of them shows it.
  const { entry, response } = await historyOf(client, id, about);
  const [image] = valuesAt(entry, `outputs.${output}.images.0`);
  if (textAt(entry, 'status.status_str') !== 'success' || image === undefined)
    throw client.failure(response, causeIn(entry));
  const query = new URLSearchParams();
  for (const name of ['filename', 'subfolder', 'type']) query.set(name, textAt(image, name) ?? '');
  const { body } = await client.call({
    method: 'GET',
    url: `/view?${query}`,
    maxBytes: MAX_IMAGE_BYTES,
    instruction,
    signal,
  });
  return { bytes: body, costUsd: 0 };
}

/** How a task has ended. The whole history would not help an operator: it begins with the graph. */
function causeIn(entry: unknown): string | undefined {
  const [event, details] = ['0', '1'].map((at) => valuesAt(entry, `status.messages.*.${at}`).at(-1));
  if (typeof event !== 'string') return undefined;
  const fields = ['node_type', 'node_id', 'exception_type', 'exception_message'];
  return [event, ...fields.flatMap((field) => textAt(details, field) ?? [])].join(' ');
}

async function historyOf(
  client: UpstreamClient,
  id: string,
  { instruction, signal }: CallContext,
): Promise<{ entry: unknown; response: UpstreamResponse }> {
  const url = `/history/${encodeURIComponent(id)}`;
  const response = await client.call({ method: 'GET', url, instruction, signal });
  return { entry: valuesAt(response.json, id)[0], response };
}

async function isQueued(
  client: UpstreamClient,
  id: string,
  { instruction, signal }: CallContext,
): Promise<boolean> {
  const { json } = await client.call({ method: 'GET', url: '/queue', instruction, signal });
  return ['queue_running', 'queue_pending'].some((queue) => valuesAt(json, `${queue}.*.1`).includes(id));
}

/** Removes the task from the queue, and stops it if it runs. */
async function cancel(client: UpstreamClient, id: string, signal: AbortSignal): Promise<void> {
  const post = { method: 'POST', instruction: '', signal } as const;
  await client.call({ ...post, url: '/queue', json: { delete: [id] } });
  await client.call({ ...post, url: '/interrupt', json: { prompt_id: id } });
}
