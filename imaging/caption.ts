import { inkOf, lay } from './ink.ts';
import { letterToFit, type Mask } from './lettering.ts';
import type { RawImage, Size } from './libvips.ts';

/** Opacity of the strip, 0 to 255: the image still shows through. */
const STRIP_ALPHA = 168;
/** In pixels; smaller capitals are illegible. */
const MIN_CAPITAL = 4;

/** Draws a dark strip with one line of text over the bottom of the image, in place. Any text is safe. */
export async function drawCaption(image: RawImage, text: string): Promise<void> {
  const { width, height } = image;
  const strip = {
    width,
    height: Math.max(1, Math.min(Math.round(Math.max(width, height) / 26), Math.ceil(height / 3))),
  };
  const capital = strip.height * 0.34;
  const room = strip.width - strip.height * 1.2;
  const line = capital < MIN_CAPITAL || room < 1 ? undefined : await letterToFit(text, capital, room);
  lay(inkOf(drawStrip(strip, line), strip), image, { left: 0, top: height - strip.height });
}

function drawStrip(strip: Size, line: Mask | undefined): Buffer {
  const rgba = Buffer.alloc(strip.width * strip.height * 4, Buffer.from([0, 0, 0, STRIP_ALPHA]));
  if (line === undefined) return rgba;
  const left = Math.round(strip.height * 0.6);
  const top = Math.max(0, Math.round((strip.height - line.height) / 2));
  line.coverage.forEach((coverage, pixel) => {
    const y = top + Math.floor(pixel / line.width);
    if (y >= strip.height || coverage === 0) return;
    const at = (y * strip.width + left + (pixel % line.width)) * 4;
    rgba[at] = coverage;
    rgba[at + 1] = coverage;
    rgba[at + 2] = coverage;
    rgba[at + 3] = Math.max(STRIP_ALPHA, coverage);
  });
  return rgba;
}
