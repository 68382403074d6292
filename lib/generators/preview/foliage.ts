import type { RawImage } from '../../imaging/libvips.ts';
import { gradientAt } from './colour.ts';
import { boxBlur, lumaAt, lumaOf, type Plane, planeOf, rowReader, thumbnailOf } from './plane.ts';
import { greenness, type Plants, ramp } from './plants.ts';
import type { Season, Tint } from './season-colours.ts';
import { type LawnPixel, SNOW_TINT, snowCover, snowLuma } from './snow.ts';
import { cloudyPlane, grainIndex, grainOf } from './texture.ts';

export interface Recolouring {
  plants: Plants;
  season: Season;
  /** 1 applies the tints as they are. */
  strength: number;
}

/** Gives leaves and lawn the colours of the season, in place. */
export async function recolourPlants(
  image: RawImage,
  { plants, season, strength }: Recolouring,
): Promise<void> {
  const rowAt = await rowsOf(image, plants);
  const brush: Brush = {
    leaves: paletteOf(season.leaves, strength),
    lawn: paletteOf(season.lawn, strength),
    snow: season.snow,
    strength,
  };
  for (let y = 0; y < image.height; y++) {
    const row = rowAt(y);
    for (let x = 0; x < image.width; x++) if ((row.near[x] ?? 0) > 0) recolour(image.pixels, x, row, brush);
  }
}

interface Row {
  y: number;
  start: number;
  near: Float32Array;
  lawn: Float32Array;
  /** The luma around each pixel, and its mean over the lawn. */
  local: Float32Array;
  mean: number;
  patch: Float32Array;
  grain: Float32Array;
}

async function rowsOf(image: RawImage, { near, lawn }: Plants): Promise<(y: number) => Row> {
  const light = boxBlur(lumaOf(await thumbnailOf(image, Math.max(near.width, near.height))), 3);
  const [nearAt, lawnAt] = [rowReader(near, image), rowReader(lawn, image)];
  const [lightAt, patchAt] = [rowReader(light, image), rowReader(patches(), image)];
  const grain = grainOf(image.width / 100);
  const mean = meanOver(light, lawn);
  return (y) => ({
    y,
    start: y * image.width * 3,
    near: nearAt(y),
    lawn: lawnAt(y),
    local: lightAt(y),
    mean,
    patch: patchAt(y),
    grain,
  });
}

/** Noise in two sizes. */
function patches(): Plane {
  const size = { width: 200, height: 150 };
  const [large, small] = [cloudyPlane(size, 14, 5).values, cloudyPlane(size, 46, 6).values];
  return planeOf(size, (at) => 0.6 * (large[at] ?? 0) + 0.4 * (small[at] ?? 0));
}

function meanOver({ values }: Plane, weights: Plane): number {
  let [sum, total] = [0, 1e-6];
  values.forEach((value, at) => {
    const weight = weights.values[at] ?? 0;
    sum += weight * value;
    total += weight;
  });
  return sum / total;
}

interface Brush {
  leaves: Palette;
  lawn: Palette;
  snow: number | undefined;
  strength: number;
}

interface Palette {
  offset: number;
  share: number;
  /** The gains of all shades, three channels each. */
  shades: Float32Array;
}

const SHADES = 64;

function paletteOf({ offset, gains, share }: Tint, strength: number): Palette {
  const shades = new Float32Array(SHADES * 3);
  for (let shade = 0; shade < SHADES; shade++) shades.set(gradientAt(gains, shade / (SHADES - 1)), shade * 3);
  return { offset, shades, share: Math.min(1, share * strength) };
}

function recolour(pixels: Uint8Array, x: number, row: Row, brush: Brush): void {
  const at = row.start + x * 3;
  const [near, lawn, local] = [row.near[x] ?? 0, row.lawn[x] ?? 0, row.local[x] ?? 0];
  const green = near * greenness(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, near);
  const luma = lumaAt(pixels, at);
  const patch = row.patch[x] ?? 0;
  const grain = row.grain[grainIndex(x, row.y)] ?? 0;
  // Of leaves, the brighter ones turn first.
  const shade = 0.5 + 1.1 * (patch - 0.5) + 0.7 * grain + (luma - local) / 160;
  tint(pixels, at, luma, { palette: brush.leaves, shade, share: green * (1 - lawn) });
  tint(pixels, at, luma, { palette: brush.lawn, shade, share: green * lawn });
  if (brush.snow === undefined) return;
  dust(pixels, at, green * (1 - lawn) * brush.snow * ramp(luma - local + 24 * grain, 0, 50) * brush.strength);
  // Between the blades it is dark rather than green.
  const cover = Math.max(green * lawn, ramp(lawn, 0.6, 0.95) * ramp(local - luma, 0, 20));
  if (cover > 0)
    layOn(
      pixels,
      at,
      { luma, local, lit: local / row.mean, patch: patch + 0.3 * grain },
      cover,
      brush.strength,
    );
}

interface Stroke {
  palette: Palette;
  /** 0 to 1. */
  shade: number;
  share: number;
}

function tint(pixels: Uint8Array, at: number, luma: number, { palette, shade, share }: Stroke): void {
  const weight = share * palette.share;
  if (weight === 0) return;
  const index = 3 * Math.round(Math.min(1, Math.max(0, shade)) * (SHADES - 1));
  for (let channel = 0; channel < 3; channel++) {
    const level = pixels[at + channel] ?? 0;
    const goal = Math.min(255, palette.offset + (palette.shades[index + channel] ?? 1) * luma);
    pixels[at + channel] = level + (goal - level) * weight;
  }
}

function dust(pixels: Uint8Array, at: number, levels: number): void {
  for (let channel = 0; channel < 3; channel++)
    pixels[at + channel] = Math.min(250, (pixels[at + channel] ?? 0) + levels);
}

function layOn(pixels: Uint8Array, at: number, pixel: LawnPixel, cover: number, strength: number): void {
  const weight = cover * snowCover(pixel, strength);
  const level = snowLuma(pixel);
  const shade = ramp(pixel.lit, 1, 0.5);
  for (let channel = 0; channel < 3; channel++) {
    const light = SNOW_TINT.light[channel] ?? 1;
    const goal = Math.min(252, level * (light + ((SNOW_TINT.shade[channel] ?? 1) - light) * shade));
    const own = pixels[at + channel] ?? 0;
    pixels[at + channel] = Math.max(0, own + (goal - own) * weight);
  }
}
