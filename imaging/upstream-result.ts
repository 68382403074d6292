import type { ResultChecks } from '../catalog/catalog.ts';
import { contrast, edgeRecall, type GreyImage, largestDifference } from './compare.ts';
import { ImageError } from './errors.ts';
import { type FinishedResult, type FinishOptions, finishResult } from './finish.ts';
import { fitRatio } from './fit.ts';
import { openEncoded } from './libvips.ts';
import { contentIn, type Padded } from './pad.ts';
import { toGrey } from './reference.ts';

export interface UpstreamFinishOptions extends FinishOptions {
  /** What was sent to the upstream. */
  sent: Padded;
  /** The prepared input in grey. */
  reference: GreyImage;
  checks: ResultChecks;
}

export type UpstreamProblem = 'undecodable' | 'ratio' | 'flat' | 'unchanged' | 'edges';

/** `edgeRecall` is 0 to 1; null where it was not measured. */
export type UpstreamFinish =
  | ({ ok: true; edgeRecall: number } & FinishedResult)
  | { ok: false; problem: UpstreamProblem; edgeRecall: number | null };

/** Brightness that deviates less is a flat image, black or grey. */
const FLAT = 4;
/** Where no block differs by more, of 255, it is the input encoded anew: JPEG of quality 50 differs by 3.3 at most. */
const SAME = 4;

/**
 * Checks the image that an upstream has returned and finishes it in the ratio of the input. It is as untrusted as any
 * client's image.
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
  const whole = fitRatio(size, sent);
  if (whole === undefined) return { ok: false, problem: 'ratio', edgeRecall: null };
  const region = contentIn(whole, sent);
  const grey = await toGrey(pipeline.extract(region), reference);
  const recall = edgeRecall(reference, grey);
  const problem = problemOf(reference, grey, checks, recall);
  if (problem !== undefined) return { ok: false, problem, edgeRecall: recall };
  return { ok: true, edgeRecall: recall, ...(await finishResult(bytes, { ...finish, region })) };
}

function problemOf(
  reference: GreyImage,
  grey: GreyImage,
  { mustChange, minEdgeRecall }: ResultChecks,
  recall: number,
): UpstreamProblem | undefined {
  if (contrast(grey) < FLAT && contrast(reference) >= FLAT) return 'flat';
  if (mustChange && largestDifference(reference, grey) < SAME) return 'unchanged';
  if (minEdgeRecall !== null && recall < minEdgeRecall) return 'edges';
  return undefined;
}
