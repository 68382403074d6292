import type { ResultChecks } from '../catalog/catalog.ts';
import { contrast, edgeRecall, largestDifference, toGrey, toReference } from './compare.ts';
import { ImageError } from './errors.ts';
import { type FinishedResult, type FinishOptions, finishResult } from './finish.ts';
import { crop, fitRatio } from './fit.ts';
import { openEncoded, type RawImage } from './libvips.ts';
import { contentIn, type Padded } from './pad.ts';
import { longestSide } from './size.ts';

export interface UpstreamFinishOptions extends FinishOptions {
  /** What was sent to the upstream. */
  sent: Padded;
  /** A small copy of the input. */
  reference: RawImage;
  checks: ResultChecks;
}

export type UpstreamProblem = 'undecodable' | 'thumbnail' | 'ratio' | 'flat' | 'unchanged' | 'edges';

/** `edgeRecall` is 0 to 1; null where it was not measured. */
export type UpstreamFinish =
  | ({ ok: true; edgeRecall: number } & FinishedResult)
  | { ok: false; problem: UpstreamProblem; edgeRecall: number | null };

/** A result with a shorter longest side is not scaled up, unless the sent image was smaller. */
const LEAST_SIDE = 256;
/** If the brightness deviates less, the image is flat: black or grey, for instance. */
const FLAT = 4;
/**
 * If no block differs by more, of 255, the result is the input. Measured on the photos of the
 * gallery: the input, encoded anew (JPEG of quality 75), moved by half a pixel and sharpened,
 * differs by at most 2.5 at 400 pixels, 0.9 at 1024 pixels, and 1.4 there at half its size. If
 * small print is removed (1.2 % of the width), it differs by at least 3.4; if a grid of joints
 * between tiles is removed, by 5.5.
 */
const SAME = 3;

/**
 * Checks the image that an upstream has returned and finishes it in the ratio of the input. It is
 * as untrusted as any client's image.
 */
export async function finishUpstream(bytes: Buffer, options: UpstreamFinishOptions): Promise<UpstreamFinish> {
  try {
    return await checkAndFinish(bytes, options);
  } catch (error) {
    if (error instanceof ImageError) return { ok: false, problem: 'undecodable', edgeRecall: null };
    throw error;
  }
}

async function checkAndFinish(bytes: Buffer, options: UpstreamFinishOptions): Promise<UpstreamFinish> {
  const { sent, reference, checks, ...finish } = options;
  const { pipeline, size } = await openEncoded(bytes);
  if (longestSide(size) < Math.min(LEAST_SIDE, longestSide(sent)))
    return { ok: false, problem: 'thumbnail', edgeRecall: null };
  const whole = fitRatio(size, sent);
  if (whole === undefined) return { ok: false, problem: 'ratio', edgeRecall: null };
  const region = contentIn(whole, sent);
  const copy = await toReference(crop(pipeline, size, region), reference);
  const [before, after] = [toGrey(reference), toGrey(copy)];
  const recall = edgeRecall(before, after);
  const isFlat = contrast(after) < FLAT && contrast(before) >= FLAT;
  const problem = isFlat ? 'flat' : problemOf(reference, copy, checks, recall);
  if (problem !== undefined) return { ok: false, problem, edgeRecall: recall };
  return { ok: true, edgeRecall: recall, ...(await finishResult(bytes, { ...finish, region })) };
}

function problemOf(
  reference: RawImage,
  copy: RawImage,
  { mustChange, minEdgeRecall }: ResultChecks,
  recall: number,
): UpstreamProblem | undefined {
  if (mustChange && largestDifference(reference, copy) < SAME) return 'unchanged';
  if (minEdgeRecall !== null && recall < minEdgeRecall) return 'edges';
  return undefined;
}
