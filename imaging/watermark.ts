import type { OverlayOptions, Sharp } from 'sharp';
import { createMask, drawStrokes, letter, type Mask } from './lettering.ts';
import type { Size } from './libvips.ts';
import type { Point } from './stroke-font.ts';

const TEXT = 'Image Job API';
const SLANT = -Math.PI / 7;
const INK = { white: 0.42, shadow: 0.16 };

/** Tiles the service's name over the whole picture, so that any crop worth having still carries it. */
export function drawWatermark(pipeline: Sharp, size: Size): Sharp {
  return pipeline.composite([watermarkTile(size)]).removeAlpha();
}

/** One tile holds the text twice, as bricks are laid. It scales with the picture and is never larger than it. */
function watermarkTile(size: Size): OverlayOptions {
  const side = Math.max(48, Math.round(Math.max(size.width, size.height) / 3.4));
  const capital = side / 18;
  const text = letter(TEXT, capital);
  const tile = { width: side, height: side };
  const light = createMask(tile);
  const dark = createMask(tile);
  for (const centre of [
    { x: side / 4, y: side / 4 },
    { x: (side * 3) / 4, y: (side * 3) / 4 },
  ]) {
    const place = ({ x, y }: Point) => slanted(centre, x - text.width / 2, capital / 2 - y);
    drawStrokes(light, text.strokes, place, capital / 6);
    drawStrokes(dark, text.strokes, place, capital / 3.4);
  }
  const shown = { width: Math.min(side, size.width), height: Math.min(side, size.height) };
  return { input: ink(light, dark, shown), raw: { ...shown, channels: 4 }, tile: true, gravity: 'northwest' };
}

const slanted = (centre: Point, x: number, y: number): Point => ({
  x: centre.x + x * Math.cos(SLANT) - y * Math.sin(SLANT),
  y: centre.y + x * Math.sin(SLANT) + y * Math.cos(SLANT),
});

/** White strokes over a wider soft shadow: one of the two stands out on any ground. */
function ink(light: Mask, dark: Mask, shown: Size): Buffer {
  const rgba = Buffer.alloc(shown.width * shown.height * 4);
  for (let y = 0; y < shown.height; y++) {
    for (let x = 0; x < shown.width; x++) {
      const from = y * light.width + x;
      const white = ((light.coverage[from] ?? 0) / 255) * INK.white;
      const alpha = white + (1 - white) * ((dark.coverage[from] ?? 0) / 255) * INK.shadow;
      const to = (y * shown.width + x) * 4;
      rgba.fill(alpha === 0 ? 0 : Math.round((white / alpha) * 255), to, to + 3);
      rgba[to + 3] = Math.round(alpha * 255);
    }
  }
  return rgba;
}
