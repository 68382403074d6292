import type { Egress } from '../../egress/egress.ts';
import { multipart } from '../../egress/multipart.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import { GeneratorError } from '../errors.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import { askedSize } from '../upstream/asked-size.ts';
import { type FailureRow, misconfigured, refusal, unavailable } from '../upstream/classify.ts';
import { createUpstreamClient, TIMING, type UpstreamClient } from '../upstream/client.ts';
import { imageFrom, numberAt, plausibleCost, textAt } from '../upstream/json.ts';

export const OPENAI_ROWS: readonly FailureRow[] = [
  { row: 'there is no image', status: [200], failure: refusal('no_result') },
  {
    row: 'the prompt or the image was moderated',
    status: [400],
    at: 'error.code',
    matches: /^(?:moderation_blocked|image_content_policy_violation|content_policy_violation)$/,
    failure: refusal('safety'),
  },
  {
    row: 'the image was not accepted',
    status: [400],
    at: 'error.code',
    matches: /^(?:invalid_image_file|image_parse_error|image_too_large|unsupported_image_media_type)$/,
    failure: refusal('invalid_input'),
    mayBeCharged: false,
  },
  {
    row: 'the model has other parameters',
    status: [400],
    at: 'error.code',
    matches: /^(?:unknown_parameter|missing_required_parameter|unsupported_parameter|invalid_type)$/,
    failure: misconfigured,
  },
  {
    row: 'the image or the prompt was not accepted',
    status: [400],
    at: 'error.param',
    matches: /^(?:image|prompt)\b/,
    failure: refusal('invalid_input'),
    mayBeCharged: false,
  },
  {
    row: 'the money is used up',
    status: [429],
    at: 'error.type',
    matches: /^insufficient_quota$/,
    failure: misconfigured,
  },
  {
    row: 'a spending limit is reached',
    status: [429],
    at: 'error.code',
    matches:
      /^(?:credit_balance_exhausted|billing_hard_limit_reached|\w*_spend_limit_exceeded|\w*_usage_limit_exceeded)$/,
    failure: misconfigured,
  },
  {
    row: 'the upstream is overloaded',
    at: 'error.code',
    matches: /^(?:server_is_overloaded|slow_down)$/,
    failure: unavailable,
  },
];

const MOST_RATIO = 3;
const SIZE_LIMITS = { multiple: 16, mostPixels: 8_294_400, mostLongestSide: 3840, mostRatio: MOST_RATIO };
/** Dollars per token. */
const PRICES = { text: 5e-6, image: 8e-6, output: 30e-6 };

/**
 * OpenAI: one call that returns the image. It has no id, so a lost response costs a second image.
 */
export function createOpenai(
  { apiKey, baseUrl, model, quality }: GeneratorConfig['openai'],
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'openai',
    egress,
    baseUrl,
    credentials: { authorization: `Bearer ${apiKey}` },
    rows: OPENAI_ROWS,
  });
  return {
    kind: 'upstream',
    name: 'openai',
    model,
    charges: true,
    render: async (render) => edit(client, { model, quality }, await render.request()),
  };
}

async function edit(
  client: UpstreamClient,
  { model, quality }: Pick<GeneratorConfig['openai'], 'model' | 'quality'>,
  request: UpstreamRequest,
): Promise<RenderedImage> {
  const { width, height } = sizeFor(request);
  const form = await multipart([
    ['model', model],
    ['prompt', request.instruction],
    ['image', { bytes: request.image, filename: 'input.jpg', type: request.mime }],
    ['size', `${width}x${height}`],
    ['quality', quality],
    ['output_format', 'jpeg'],
    ['safety_identifier', request.accountTag],
  ]);
  const response = await client.call({
    method: 'POST',
    url: '/images/edits',
    ...form,
    submits: true,
    slow: true,
    instruction: request.instruction,
    signal: request.signal,
  });
  const data = textAt(response.json, 'data.*.b64_json');
  if (data === undefined) throw client.failure(response);
  return { bytes: imageFrom(data), costUsd: costOf(response.json) };
}

function sizeFor(request: UpstreamRequest) {
  const ratio = request.width / request.height;
  if (Math.max(ratio, 1 / ratio) <= MOST_RATIO) return askedSize(request, SIZE_LIMITS);
  const message = `openai edits images of a ratio up to ${MOST_RATIO}:1 only.`;
  throw new GeneratorError({ kind: 'refused', reason: 'invalid_input' }, message, { mayBeCharged: false });
}

function costOf(json: unknown): number | null {
  const output = numberAt(json, 'usage.output_tokens');
  if (output === undefined) return null;
  const text = numberAt(json, 'usage.input_tokens_details.text_tokens') ?? 0;
  const image = numberAt(json, 'usage.input_tokens_details.image_tokens') ?? 0;
  return plausibleCost(text * PRICES.text + image * PRICES.image + output * PRICES.output);
}
