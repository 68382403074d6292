import type { RawImage } from '../../imaging/libvips.ts';
import { boxBlur, type Plane, planeOf, thumbnailOf } from './plane.ts';

const SIDE = 320;

/** How green a pixel is, as plants are: 0 to 1. Where there is lawn, dry grass counts as well. */
export function greenness(red: number, green: number, blue: number, lawn = 0): number {
  const most = Math.max(red, green, blue);
  if (most < 18) return 0;
  // Yellowish greens have almost as much red; greens of paint and glass have as much blue.
  const overRed = (green - (0.94 - 0.1 * lawn) * red) / most;
  const overBlue = (green - 1.12 * blue) / most;
  return ramp(overRed, 0, 0.1) * ramp(overBlue, 0.02, 0.16 - 0.1 * lawn);
}

const ramp = (value: number, from: number, to: number) =>
  Math.min(1, Math.max(0, (value - from) / (to - from)));

export interface Plants {
  /** Where there are plants around a pixel, so that a single green object is left alone. */
  near: Plane;
  /** Plants that are ground: those in the lower half of the image. */
  ground: Plane;
  /** Share of the image. */
  share: number;
}

export async function findPlants(image: RawImage): Promise<Plants> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const { pixels, width, height } = thumbnail;
  const green = planeOf(thumbnail, (at) =>
    greenness(pixels[at * 3] ?? 0, pixels[at * 3 + 1] ?? 0, pixels[at * 3 + 2] ?? 0),
  );
  const density = boxBlur(green, Math.round(SIDE / 90));
  const grass = planeOf(thumbnail, (at) =>
    greenness(pixels[at * 3] ?? 0, pixels[at * 3 + 1] ?? 0, pixels[at * 3 + 2] ?? 0, 1),
  );
  const lawn = boxBlur(grass, Math.round(SIDE / 90));
  const ground = { ...green, values: new Float32Array(green.values.length) };
  for (let x = 0; x < width; x++) markGround(ground, lawn, x, height);
  return {
    near: planeOf(thumbnail, (at) =>
      Math.max(ramp(density.values[at] ?? 0, 0.12, 0.4), ground.values[at] ?? 0),
    ),
    ground: boxBlur(ground, 2),
    share: green.values.reduce((sum, value) => sum + value, 0) / green.values.length,
  };
}

/** Marks the plants of a column, fading out towards the middle of the image. */
function markGround(ground: Plane, density: Plane, x: number, height: number): void {
  const { width } = ground;
  for (let y = height - 1; y > height * 0.5; y--) {
    const at = y * width + x;
    ground.values[at] = ramp(density.values[at] ?? 0, 0.2, 0.5) * ramp(y / height, 0.52, 0.66);
  }
}
