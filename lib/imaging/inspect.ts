import { LIMITS } from '../contract/limits.ts';
import type { ImageFormat } from '../domain/records.ts';
import type { HeaderReading, ImageHeader } from './header.ts';
import { readJpegHeader } from './jpeg-header.ts';
import { readPngHeader } from './png-header.ts';
import { nameForeignFormat, sniffFormat } from './sniff.ts';
import { readWebpHeader } from './webp-header.ts';

export interface InspectedImage extends ImageHeader {
  format: ImageFormat;
}

/** `reason` is a message for the caller that says what to change. */
export type Inspection = ({ ok: true } & InspectedImage) | { ok: false; reason: string };

/**
 * Reads headers only: no pixel is decoded, no allocation depends on sizes the file claims, it never
 * throws, and it takes milliseconds for any input. Animated WebP and PNG pass, as their first frame
 * is used. Truncated pixels pass too: the strict decode detects them.
 */
export function inspectImage(bytes: Buffer): Inspection {
  const format = sniffFormat(bytes);
  if (format === undefined) return refuse(foreignReason(bytes));
  const header = READERS[format](bytes);
  if (header === undefined) return refuse(`The ${NAMES[format]} is damaged: its header is not complete.`);
  if (typeof header === 'string') return refuse(header);
  const problem = sizeProblem(NAMES[format], header) ?? costProblem(NAMES[format], header);
  return problem === undefined ? { ok: true, format, ...header } : refuse(problem);
}

const refuse = (reason: string): Inspection => ({ ok: false, reason });

function foreignReason(bytes: Buffer): string {
  const name = nameForeignFormat(bytes);
  return `The image must be a JPEG, PNG or WebP${name ? `; this looks like ${name}` : ''}.`;
}

const NAMES = { jpeg: 'JPEG', png: 'PNG', webp: 'WebP' } satisfies Record<ImageFormat, string>;

const READERS = {
  jpeg: readJpegHeader,
  png: readPngHeader,
  webp: readWebpHeader,
} satisfies Record<ImageFormat, (bytes: Buffer) => HeaderReading>;

function sizeProblem(name: string, { width, height }: ImageHeader): string | undefined {
  const size = `${width}x${height}`;
  if (width < 1 || height < 1) return `The ${name} has no pixels: its size is ${size}.`;
  if (width * height > LIMITS.imagePixels)
    return `The image has ${size} pixels; at most ${LIMITS.imagePixels / 1e6} megapixels are allowed. Scale it down.`;
  if (Math.max(width, height) > LIMITS.imageSide)
    return `The image has ${size} pixels; no side may have more than ${LIMITS.imageSide}. Scale it down or crop it.`;
  return undefined;
}

function costProblem(name: string, { frames, heldBytes, interlaced }: ImageHeader): string | undefined {
  if (frames > LIMITS.imageFrames)
    return `The ${name} is an animation of more than ${LIMITS.imageFrames} frames; send a still image.`;
  if (heldBytes > LIMITS.imageHeldBytes) {
    const [needed, allowed] = [heldBytes, LIMITS.imageHeldBytes].map((bytes) => Math.ceil(bytes / 1e6));
    const way = interlaced ? 'without interlacing or progressive scans' : 'with fewer pixels';
    return `The ${name} takes ${needed} million bytes to decode; at most ${allowed} are allowed. Save it ${way}.`;
  }
  return undefined;
}
