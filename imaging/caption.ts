import type { Sharp } from 'sharp';
import { createMask, drawStrokes, letterToFit } from './lettering.ts';
import type { Size } from './libvips.ts';

/** Share of black in the strip; the picture still shows through. */
const STRIP_ALPHA = 168;

/** Lays a dark strip with one line over the foot of the picture. Any text is safe: it becomes strokes, never markup. */
export function drawCaption(pipeline: Sharp, size: Size, text: string): Sharp {
  const height = Math.max(
    1,
    Math.min(Math.round(Math.max(size.width, size.height) / 26), Math.ceil(size.height / 3)),
  );
  const strip = { width: size.width, height };
  return pipeline
    .composite([{ input: captionStrip(strip, text), raw: { ...strip, channels: 4 }, gravity: 'south' }])
    .removeAlpha();
}

function captionStrip(strip: Size, text: string): Buffer {
  const capital = strip.height * 0.34;
  const line = letterToFit(text, capital, strip.width - strip.height * 1.2);
  const mask = createMask(strip);
  const baseline = (strip.height + capital) / 2;
  const place = ({ x, y }: { x: number; y: number }) => ({ x: x + strip.height * 0.6, y: baseline - y });
  drawStrokes(mask, line.strokes, place, capital / 6.5);
  const rgba = Buffer.alloc(mask.coverage.length * 4);
  mask.coverage.forEach((coverage, index) => {
    rgba.fill(coverage, index * 4, index * 4 + 3);
    rgba[index * 4 + 3] = Math.max(STRIP_ALPHA, coverage);
  });
  return rgba;
}
