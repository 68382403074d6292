import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { type Ink, inkOf, layTiles } from './ink.ts';
import { letter } from './lettering.ts';
import { openRaw, type Size, toRaw } from './libvips.ts';
import { longestSide } from './size.ts';

const TEXT = 'Image Job API';
const SLANT_DEGREES = -25;
const ALPHA = { white: 0.48, shadow: 0.32 };
/** Sides of a tile in pixels: all that is ever drawn, however large a picture is. Even, as a tile has four quarters. */
const SIDES = [64, 96, 128, 192, 256, 384, 512, 768, 1024] as const;
/** About three tiles along the longest side, and one along the other, so that any crop worth having carries a name. */
const TILES_ALONG = 3;
/** A 4K square. More pixels than that are not held just to be drawn on; libvips draws while they pass, more slowly. */
export const HELD_PIXELS = 4096 * 4096;

/** The same tile in two forms: for libvips, and for pixels that are at hand. */
export interface WatermarkTile {
  overlay: OverlayOptions;
  ink: Ink;
}

/** Tiles the service's name over the whole picture. Rejects as the pipeline does. */
export async function drawWatermark(pipeline: Sharp, size: Size): Promise<Sharp> {
  const tile = await tileFor(size);
  if (size.width * size.height > HELD_PIXELS)
    return pipeline.composite([{ ...tile.overlay, tile: true, gravity: 'northwest' }]).removeAlpha();
  const image = await toRaw(pipeline);
  layTiles(tile.ink, image);
  return openRaw(image);
}

const drawn = new Map<number, Promise<WatermarkTile>>();

/** One tile for all pictures of about a size, kept for as long as the process runs: 13 MB when all are drawn. */
export function tileFor(size: Size): Promise<WatermarkTile> {
  const wanted = Math.min(longestSide(size) / TILES_ALONG, size.width, size.height);
  const side = SIDES.findLast((one) => one <= wanted) ?? SIDES[0];
  const kept = drawn.get(side) ?? drawTile(side);
  drawn.set(side, kept);
  return kept;
}

/** Two of the tile's quarters hold the text, as bricks are laid. */
async function drawTile(side: number): Promise<WatermarkTile> {
  const half = side / 2;
  const quarter = await drawQuarter(half);
  const rgba = Buffer.alloc(side * side * 4);
  for (let row = 0; row < half; row++) {
    const line = quarter.subarray(row * half * 4, (row + 1) * half * 4);
    line.copy(rgba, row * side * 4);
    line.copy(rgba, ((half + row) * side + half) * 4);
  }
  const size = { width: side, height: side };
  return { overlay: { input: rgba, raw: { ...size, channels: 4 } }, ink: inkOf(rgba, size) };
}

/** White letters over a wider soft shadow: one of the two stands out on any ground. In RGBA. */
async function drawQuarter(side: number): Promise<Buffer> {
  const white = await slantedLetters(side);
  const { data: shadow } = await toMask(openMask(white, side, side).blur(Math.max(0.5, side / 80)));
  const rgba = Buffer.alloc(side * side * 4);
  for (let pixel = 0; pixel < side * side; pixel++) {
    const covered = white[pixel] ?? 0;
    const shaded = shadow[pixel] ?? 0;
    if (covered === 0 && shaded === 0) continue;
    const light = (covered / 255) * ALPHA.white;
    const alpha = light + (1 - light) * Math.min(1, (shaded / 255) * 2) * ALPHA.shadow;
    const level = Math.round((light / alpha) * 255);
    rgba[pixel * 4] = level;
    rgba[pixel * 4 + 1] = level;
    rgba[pixel * 4 + 2] = level;
    rgba[pixel * 4 + 3] = Math.round(alpha * 255);
  }
  return rgba;
}

/** Their coverage, as large as a square of that side holds. */
async function slantedLetters(side: number): Promise<Buffer> {
  const text = await letter(TEXT, side / 9);
  if (text === undefined) throw new Error('The watermark has no text.');
  const black = { background: '#000000' };
  const slanted = await toMask(openMask(text.coverage, text.width, text.height).rotate(SLANT_DEGREES, black));
  const { width, height } = slanted.info;
  const square = { width: side, height: side, fit: 'contain', ...black } as const;
  return (await toMask(openMask(slanted.data, width, height).resize(square))).data;
}

const openMask = (coverage: Buffer, width: number, height: number) =>
  sharp(coverage, { raw: { width, height, channels: 1 } });

const toMask = (pipeline: Sharp) => pipeline.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
