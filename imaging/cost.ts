import { ImageError } from './errors.ts';
import { inspectImage } from './inspect.ts';
import type { TaskLimits } from './processes/watch.ts';

const MB = 1e6;
/** Node and sharp before they have seen an image. */
const BASE_BYTES = 150 * MB;
/** Decoded as 16 bits of four channels, in the worst case. */
const BYTES_PER_PIXEL = 8;

/** Upper estimate of what working on this image takes, from its header. @throws ImageError when it is over the limits */
export function estimateCost(image: Buffer): { estimatedBytes: number; limits: TaskLimits } {
  const inspection = inspectImage(image);
  if (!inspection.ok) throw new ImageError(inspection.reason);
  const pixels = inspection.width * inspection.height;
  const cpuMs = 5000 + pixels / 1e4;
  return {
    estimatedBytes: BASE_BYTES + pixels * BYTES_PER_PIXEL,
    limits: { cpuMs, rssBytes: 1000 * MB, wallMs: 10_000 + 10 * cpuMs },
  };
}
