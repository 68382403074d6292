import type { Size } from '../../imaging/libvips.ts';
import { type Plane, planeOf } from './plane.ts';

/** Smooth random values from 0 to 1 in cells of size 1; the same ones for a seed. */
export function valueNoise(x: number, y: number, seed: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return interpolate(x - left, y - top, [
    hash(left, top, seed),
    hash(left + 1, top, seed),
    hash(left, top + 1, seed),
    hash(left + 1, top + 1, seed),
  ]);
}

/** Smooth random values from 0 to 1, with so many cells along the longest side. */
export function cloudyPlane({ width, height }: Size, cells: number, seed: number): Plane {
  const size = Math.max(width, height) / cells;
  return planeOf({ width, height }, (index) =>
    valueNoise((index % width) / size, Math.floor(index / width) / size, seed),
  );
}

/** Fine noise that repeats after this many pixels both ways; a power of two. */
const GRAIN_SIDE = 256;

/** The place of a pixel in the values of a grain. */
export const grainIndex = (x: number, y: number) =>
  (y & (GRAIN_SIDE - 1)) * GRAIN_SIDE + (x & (GRAIN_SIDE - 1));

/** Noise from -0.5 to 0.5 with cells of 4 pixels, and of 8 and 16 where these are no larger than `coarsest`. */
export function grainOf(coarsest: number): Float32Array {
  const cells = [4, 8, 16].filter((cell) => cell === 4 || cell <= coarsest);
  const weights = cells.reduce((sum, cell) => sum + cell, 0);
  const grain = new Float32Array(GRAIN_SIDE * GRAIN_SIDE);
  for (let at = 0; at < grain.length; at++) {
    const [x, y] = [at % GRAIN_SIDE, Math.floor(at / GRAIN_SIDE)];
    let sum = 0;
    for (const cell of cells) sum += cell * repeatingNoise(x / cell, y / cell, GRAIN_SIDE / cell);
    grain[at] = sum / weights - 0.5;
  }
  return grain;
}

function repeatingNoise(x: number, y: number, period: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, bottom] = [(left + 1) % period, (top + 1) % period];
  return interpolate(x - left, y - top, [
    hash(left, top, period),
    hash(right, top, period),
    hash(left, bottom, period),
    hash(right, bottom, period),
  ]);
}

function interpolate(x: number, y: number, [a, b, c, d]: readonly [number, number, number, number]): number {
  const [right, down] = [smooth(x), smooth(y)];
  const [upper, lower] = [a + (b - a) * right, c + (d - c) * right];
  return upper + (lower - upper) * down;
}

/** From 0 to 1 without a kink at either end. */
export function smooth(value: number): number {
  const share = value <= 0 ? 0 : value >= 1 ? 1 : value;
  return share * share * (3 - 2 * share);
}

function hash(x: number, y: number, seed: number): number {
  let bits = Math.imul(x, 374761393) ^ Math.imul(y, 668265263) ^ Math.imul(seed, 2246822519);
  bits = Math.imul(bits ^ (bits >>> 13), 1274126177);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0xffffffff;
}
