import type { RawImage } from '../../imaging/libvips.ts';
import type { Rgb } from './colour.ts';
import type { Panes } from './panes.ts';
import { lumaAt, rowReader } from './plane.ts';

/** The light of lamps behind glass, and what of it falls on a white wall beside the window. */
const LAMPLIGHT: Rgb = [255, 200, 118];
const SPILL: Rgb = [150, 96, 38];

export interface GlowRow {
  /** How much of a pixel is lit glass. */
  share: Float32Array;
  /** The light of the glass, and what falls on the pixel from outside of it, as factors. */
  light: Float32Array;
  spill: Float32Array;
}

/** Reads the glow of the windows, undefined where there is none; rows must be read before their pixels change. */
export function glowReader(
  image: RawImage,
  { mask, brightness, spill }: Panes,
  strength: number,
): (y: number) => GlowRow | undefined {
  const [brightnessAt, spillAt] = [rowReader(brightness, image), rowReader(spill, image)];
  const row = { share: new Float32Array(image.width), light: new Float32Array(image.width) };
  return (y) => {
    const falling = spillAt(y);
    if (!falling.some((light) => light > 0)) return undefined;
    const [glass, bright] = [mask.row(y), brightnessAt(y)];
    for (let x = 0, at = y * image.width * 3; x < image.width; x++, at += 3) {
      row.share[x] = strength * (glass[x] ?? 0) * Math.min(1, 2 * (bright[x] ?? 0));
      // Curtains and what the glass reflects show through as texture.
      row.light[x] = (bright[x] ?? 0) * (0.72 + 0.28 * Math.min(1, lumaAt(image.pixels, at) / 110));
    }
    return { ...row, spill: falling };
  };
}

/** Adds the glow to a pixel at `x`, of the index `at`, that had this luma in daylight. */
export function addGlow(
  pixels: Uint8Array,
  at: number,
  daylight: number,
  { share, light, spill }: GlowRow,
  x: number,
): void {
  const wall = (spill[x] ?? 0) * (daylight / 255);
  const [glass, bright] = [share[x] ?? 0, light[x] ?? 0];
  if (wall === 0 && glass === 0) return;
  for (let channel = 0; channel < 3; channel++) {
    const level = (pixels[at + channel] ?? 0) + wall * (SPILL[channel] ?? 0);
    pixels[at + channel] = Math.min(255, level + ((LAMPLIGHT[channel] ?? 0) * bright - level) * glass);
  }
}
