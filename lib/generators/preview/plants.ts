import type { RawImage } from '../../imaging/libvips.ts';
import { flood } from './masks.ts';
import { boxBlur, colourAt, lumaOf, meanOf, type Plane, planeOf, thumbnailOf } from './plane.ts';

const SIDE = 320;
/** Radius over which plants count as one area, and the one within which a lawn has some really green grass. */
const AREA = 4;
const LAWN = 18;

/**
 * How green a pixel is, as plants are: 0 to 1. Where plants are likely, dry grass and olive leaves count as well, the
 * more the nearer `likely` is to 1.
 */
export function greenness(red: number, green: number, blue: number, likely = 0): number {
  const most = red > green ? (red > blue ? red : blue) : green > blue ? green : blue;
  if (most < 18) return 0;
  // Yellowish greens have almost as much red; greens of paint and glass have as much blue.
  const overRed = (green - (0.94 - 0.1 * likely) * red) / most;
  const overBlue = (green - 1.12 * blue) / most;
  return ramp(overRed, 0, 0.1) * ramp(overBlue, 0.02, 0.16 - 0.1 * likely);
}

export const ramp = (value: number, from: number, to: number) =>
  Math.min(1, Math.max(0, (value - from) / (to - from)));

export interface Plants {
  /** Where there are plants around a pixel, so that a single green object is left alone. */
  near: Plane;
  /** Lawn: plants in the lower part of the image without the texture of leaves. */
  lawn: Plane;
  /** Share of the image. */
  share: number;
}

export async function findPlants(image: RawImage): Promise<Plants> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const { pixels } = thumbnail;
  const green = planeOf(thumbnail, (at) => greenness(...colourAt(pixels, at)));
  const density = boxBlur(green, AREA).values;
  const lawn = findLawn(thumbnail, green);
  return {
    near: planeOf(thumbnail, (at) => Math.max(ramp(density[at] ?? 0, 0.15, 0.42), lawn.values[at] ?? 0)),
    lawn: boxBlur(lawn, 1),
    share: meanOf(green.values),
  };
}

function findLawn(thumbnail: RawImage, green: Plane): Plane {
  const { pixels, width, height } = thumbnail;
  const grass = planeOf(thumbnail, (at) => greenness(...colourAt(pixels, at), 1));
  const [grassy, fresh] = [boxBlur(grass, AREA).values, boxBlur(green, LAWN).values];
  const luma = lumaOf(thumbnail);
  const roughness = roughnessOf(luma);
  const lawn = planeOf(thumbnail, (at) => {
    const depth = Math.floor(at / width) / height;
    const isGrass = ramp(grassy[at] ?? 0, 0.3, 0.6) * ramp(fresh[at] ?? 0, 0.15, 0.3);
    return isGrass * ramp(depth, 0.42, 0.52) * ramp(roughness[at] ?? 0, 0.095, 0.062);
  });
  return upToEdges(lawn, { luma, grass });
}

/** How far roughness hides the edge of a lawn, in pixels of the thumbnail, and the step of luma to a hedge or a tree. */
const EDGE = { reach: 10, step: 9 };

/** Extends the lawn through what looks like it, up to the plants whose roughness hid its edge. */
function upToEdges(lawn: Plane, { luma, grass }: { luma: Plane; grass: Plane }): Plane {
  const near = boxBlur(lawn, EDGE.reach).values;
  const light = boxBlur(luma, 1).values;
  const starts = Array.from(light.keys()).filter((at) => (lawn.values[at] ?? 0) > 0.5);
  const reached = new Uint8Array(light.length);
  const passes = (to: number, from: number) =>
    (near[to] ?? 0) > 0.02 &&
    (grass.values[to] ?? 0) > 0.5 &&
    Math.abs((light[to] ?? 0) - (light[from] ?? 0)) < EDGE.step;
  flood(lawn, starts, passes, reached);
  return planeOf(lawn, (at) => (reached[at] === 1 ? 1 : (lawn.values[at] ?? 0)));
}

/** Differences from the surroundings as a share of the luma: below 0.06 on lawns, above 0.1 on leaves. */
function roughnessOf(luma: Plane): Float32Array {
  const around = boxBlur(luma, 4).values;
  const difference = planeOf(luma, (at) => Math.abs((luma.values[at] ?? 0) - (around[at] ?? 0)));
  const [mean, light] = [boxBlur(difference, 6).values, boxBlur(luma, 6).values];
  return mean.map((value, at) => value / ((light[at] ?? 0) + 8));
}
