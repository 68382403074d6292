import type { Size } from '../../imaging/libvips.ts';
import { type Plane, planeOf } from './plane.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

/** The colour at a share of the way through the colours, which are evenly spaced. */
export function gradientAt(colours: readonly Rgb[], share: number): Rgb {
  const place = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const index = Math.min(colours.length - 2, Math.floor(place));
  return mixed(colours[index] ?? BLACK, colours[index + 1] ?? BLACK, place - index);
}

const BLACK: Rgb = [0, 0, 0];

export const mixed = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** Smooth random values from 0 to 1, always the same ones for a size and seed. */
export function cloudyPlane({ width, height }: Size, cells: number, seed: number): Plane {
  const size = Math.max(width, height) / cells;
  return planeOf({ width, height }, (index) => {
    const [x, y] = [(index % width) / size, Math.floor(index / width) / size];
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const [right, down] = [smooth(x - left), smooth(y - top)];
    const upper = mix(hash(left, top, seed), hash(left + 1, top, seed), right);
    return mix(upper, mix(hash(left, top + 1, seed), hash(left + 1, top + 1, seed), right), down);
  });
}

const smooth = (share: number) => share * share * (3 - 2 * share);
const mix = (from: number, to: number, share: number) => from + (to - from) * share;

function hash(x: number, y: number, seed: number): number {
  let bits = Math.imul(x, 374761393) ^ Math.imul(y, 668265263) ^ Math.imul(seed, 2246822519);
  bits = Math.imul(bits ^ (bits >>> 13), 1274126177);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0xffffffff;
}
