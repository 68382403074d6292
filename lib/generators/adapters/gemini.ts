import type { Egress } from '../../egress/egress.ts';
import { nearestRatio } from '../../imaging/pad.ts';
import type { GeneratorConfig } from '../../process/config/generators.ts';
import type { RenderedImage, UpstreamGenerator, UpstreamRequest } from '../port.ts';
import type { UpstreamResponse } from '../upstream/classify.ts';
import { askedToWait, type FailureRow, misconfigured, refusal, retryAfterMs } from '../upstream/classify.ts';
import { createUpstreamClient, TIMING, type UpstreamClient } from '../upstream/client.ts';
import { imageFrom, numberAt, plausibleCost, textAt, valuesAt } from '../upstream/json.ts';

/** Reasons for which a candidate has no image although the HTTP status is 200. */
const UNSAFE =
  /^(?:SAFETY|IMAGE_SAFETY|PROHIBITED_CONTENT|IMAGE_PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|IMAGE_RECITATION)$/;

export const GEMINI_ROWS: readonly FailureRow[] = [
  {
    row: 'the prompt was blocked',
    status: [200],
    at: 'promptFeedback.blockReason',
    failure: refusal('safety'),
  },
  {
    row: 'the result was blocked',
    status: [200],
    at: 'candidates.*.finishReason',
    matches: UNSAFE,
    failure: refusal('safety'),
  },
  { row: 'the model made no image', status: [200], failure: refusal('no_result') },
  {
    row: 'the key is invalid',
    status: [400],
    at: 'error.details.*.reason',
    matches: /^API_KEY_INVALID$/,
    failure: misconfigured,
  },
  {
    row: 'the account cannot use the model',
    status: [400],
    at: 'error.status',
    matches: /^FAILED_PRECONDITION$/,
    failure: misconfigured,
  },
  {
    row: 'the settings do not suit the model',
    status: [400],
    at: 'error.message',
    matches: /generation_?config|image_?config|image_?size|aspect_?ratio/i,
    failure: misconfigured,
  },
  {
    row: 'the image or the prompt was not accepted',
    status: [400],
    at: 'error.message',
    matches: /image|prompt/i,
    failure: refusal('invalid_input'),
    mayBeCharged: false,
  },
  {
    row: "the day's quota is used up",
    status: [429],
    at: 'error.details.*.violations.*.quotaId',
    matches: /PerDay/,
    failure: misconfigured,
  },
  { row: 'the rate limit is reached', status: [429], failure: askedToWait(retryDelayMs) },
];

/** `google.rpc.RetryInfo`, for instance `17s`; else the header. */
function retryDelayMs(response: UpstreamResponse): number | undefined {
  const seconds = /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(
    textAt(response.json, 'error.details.*.retryDelay') ?? '',
  )?.[1];
  return seconds === undefined ? retryAfterMs(response) : Number(seconds) * 1000;
}

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;
const RATIOS_2_1 = [...RATIOS, '1:4', '4:1', '1:8', '8:1'] as const;
const ratiosOf = (model: string) => (model.includes('2.1') ? RATIOS_2_1 : RATIOS);
/** Dollars per token of an image, by model; text and input cost next to nothing. */
const USD_PER_TOKEN: Readonly<Record<string, number>> = {
  'gemini-nano-banana-2.1': 30e-6,
  'gemini-3-pro-image': 120e-6,
};

/**
 * Google Gemini: one call that returns the image. It has no id, so a lost response costs a second
 * image.
 */
export function createGemini(
  { apiKey, baseUrl, model }: GeneratorConfig['gemini'],
  egress: Egress,
  timing = TIMING,
): UpstreamGenerator {
  const client = createUpstreamClient({
    timing,
    name: 'gemini',
    egress,
    baseUrl,
    credentials: { 'x-goog-api-key': apiKey },
    rows: GEMINI_ROWS,
  });
  return {
    kind: 'upstream',
    name: 'gemini',
    model,
    charges: true,
    ratios: ratiosOf(model),
    render: async (render) => generate(client, model, await render.request()),
  };
}

async function generate(
  client: UpstreamClient,
  model: string,
  request: UpstreamRequest,
): Promise<RenderedImage> {
  const { instruction, image, mime, target, signal } = request;
  const response = await client.call({
    method: 'POST',
    url: `/models/${model}:generateContent`,
    json: {
      contents: [
        {
          parts: [{ text: instruction }, { inlineData: { mimeType: mime, data: image.toString('base64') } }],
        },
      ],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: {
          aspectRatio: nearestRatio(request, ratiosOf(model)),
          imageSize: target.longestSide > 2048 ? '4K' : '2K',
        },
      },
    },
    submits: true,
    slow: true,
    instruction,
    signal,
  });
  const data = imageIn(response.json);
  if (data === undefined) throw client.failure(response);
  const price = USD_PER_TOKEN[model];
  const tokens = numberAt(response.json, 'usageMetadata.candidatesTokenCount');
  const costUsd = price === undefined || tokens === undefined ? null : plausibleCost(price * tokens);
  return { bytes: imageFrom(data), costUsd };
}

/** The last image that is a result; the model's thoughts may contain drafts. */
function imageIn(json: unknown): string | undefined {
  const parts = valuesAt(json, 'candidates.*.content.parts.*');
  const results = parts.filter((part) => valuesAt(part, 'thought')[0] !== true);
  return results.map((part) => textAt(part, 'inlineData.data')).findLast((data) => data !== undefined);
}
