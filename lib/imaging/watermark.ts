import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { type Ink, inkOf, layTiles } from './ink.ts';
import { letter } from './lettering.ts';
import { openRaw, type RawImage, type Size, toRaw } from './libvips.ts';
import { longestSide } from './size.ts';

const SLANT_DEGREES = -25;
const ALPHA = { white: 0.48, shadow: 0.32 };
/** Sides of the tiles, in pixels. Even, because a tile consists of four quarters. */
const SIDES = [64, 96, 128, 192, 256, 384, 512, 768, 1024] as const;
/** Tiles along the longest side: enough for any useful crop to show the name. */
const TILES_ALONG = 3;
/**
 * A 4K square. Larger images are not held in memory for this; libvips composites them row by row,
 * more slowly.
 */
export const HELD_PIXELS = 4096 * 4096;

/** One tile in two forms: for a libvips pipeline, and for raw pixels. */
export interface WatermarkTile {
  overlay: OverlayOptions;
  ink: Ink;
}

/** Tiles the words over the whole image. Rejects when the pipeline does. */
export async function drawWatermark(pipeline: Sharp, size: Size, text: string): Promise<Sharp> {
  if (size.width * size.height > HELD_PIXELS) {
    const { overlay } = await tileFor(size, text);
    return pipeline.composite([{ ...overlay, tile: true, gravity: 'northwest' }]).removeAlpha();
  }
  const image = await toRaw(pipeline);
  await layWatermark(image, text);
  return openRaw(image);
}

/** Tiles the words over the upper rows of the image, in place; over all of them by default. */
export async function layWatermark(image: RawImage, text: string, rows = image.height): Promise<void> {
  const { ink } = await tileFor(image, text);
  layTiles(ink, { ...image, height: rows });
}

const tiles = new Map<string, Promise<WatermarkTile>>();

/**
 * The tile for images of about this size, cached for the life of the process: 13 MB for all sizes
 * of a text.
 */
export function tileFor(size: Size, text: string): Promise<WatermarkTile> {
  const maxSide = Math.min(longestSide(size) / TILES_ALONG, size.width, size.height);
  const side = SIDES.findLast((candidate) => candidate <= maxSide) ?? SIDES[0];
  const key = `${side} ${text}`;
  const tile = tiles.get(key) ?? drawTile(side, text);
  tiles.set(key, tile);
  return tile;
}

/** Draws the text in two diagonal quarters of the tile, like bricks. */
async function drawTile(side: number, words: string): Promise<WatermarkTile> {
  const half = side / 2;
  const quarter = await drawQuarter(half, words);
  const rgba = Buffer.alloc(side * side * 4);
  for (let row = 0; row < half; row++) {
    const line = quarter.subarray(row * half * 4, (row + 1) * half * 4);
    line.copy(rgba, row * side * 4);
    line.copy(rgba, ((half + row) * side + half) * 4);
  }
  const size = { width: side, height: side };
  return { overlay: { input: rgba, raw: { ...size, channels: 4 } }, ink: inkOf(rgba, size) };
}

/**
 * RGBA: white letters on a wider soft shadow, so that one of the two is visible on any background.
 */
async function drawQuarter(side: number, words: string): Promise<Buffer> {
  const white = await slantedLetters(side, words);
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

/** Coverage of the rotated text, scaled to fit a square of this side. */
async function slantedLetters(side: number, words: string): Promise<Buffer> {
  const text = await letter(words, side / 9);
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
