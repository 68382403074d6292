import type { Size } from '../../imaging/libvips.ts';
import { type Plane, percentile, planeOf, rowReader } from './plane.ts';
import { grainIndex, grainOf, smooth, valueNoise } from './texture.ts';

export interface CloudForm {
  /** Share of the sky that clouds cover; 0 leaves it clear. */
  cover: number;
  /** The height, of at most 1, over which an edge fades. */
  softness: number;
  /** The side that has the light. */
  lit: 'above' | 'below';
}

/** One row of the sky; overwritten by the next one. */
export interface CloudRow {
  /** 0 where the sky is clear, to 1. */
  opacity: Float32Array;
  /** 0 on the shaded side of a cloud, 1 on the lit one. */
  light: Float32Array;
  /** Noise from -0.5 to 0.5, about as fine as the pixels. */
  grain: Float32Array;
}

const FIELD = { width: 512, height: 288 };
/** The largest clouds overhead, in heights of the sky, and how many times the noise halves its cells. */
const CELL = 0.9;
const OCTAVES = 7;
const FALL_OFF = 1.85;
/** Clouds at the upper edge are this large, those at the horizon smaller by the other factor. */
const DISTANCE = { nearest: 1.22, slope: 1.02 };

/**
 * Clouds on a flat ceiling above the camera, down to the horizon. Their shapes come from a small plane, and finer noise
 * is added at the size of the image, so that clouds are as sharp in large images as in small ones.
 */
export function drawClouds(size: Size, horizon: number, form: CloudForm): (y: number) => CloudRow {
  const sky = { width: size.width, height: Math.ceil(horizon) };
  const heights = heightsOf(sky.width / sky.height);
  const threshold = percentile(heights.values, 1 - form.cover);
  const [heightAt, lightAt] = [rowReader(heights, sky), rowReader(lightOf(heights, form.lit), sky)];
  const grains = grainOf((2 * size.width) / FIELD.width);
  const row = { opacity: new Float32Array(size.width), grain: new Float32Array(size.width) };
  return (y) => {
    const within = Math.min(sky.height - 1, y);
    const [height, light] = [heightAt(within), lightAt(within)];
    for (let x = 0; x < size.width; x++) {
      const grain = grains[grainIndex(x, y)] ?? 0;
      row.grain[x] = grain;
      row.opacity[x] =
        form.cover === 0 ? 0 : smooth(((height[x] ?? 0) + FINE * grain - threshold) / form.softness);
    }
    return { ...row, light };
  };
}

const WEIGHTS = Array.from({ length: OCTAVES }, (_, octave) => FALL_OFF ** -octave);
const TOTAL = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
/** The weight of the noise that the plane is too small for. */
const FINE = (3 * FALL_OFF ** -OCTAVES) / TOTAL;

/** Fractal noise on the ceiling, seen in perspective; octaves too fine for the plane fade out towards the horizon. */
function heightsOf(aspect: number): Plane {
  return planeOf(FIELD, (index) => {
    const depth = Math.floor(index / FIELD.width) / FIELD.height;
    const distance = 1 / (DISTANCE.nearest - DISTANCE.slope * depth);
    const across = (((index % FIELD.width) / FIELD.width - 0.5) * aspect * distance) / CELL;
    const away = (1.5 * distance) / CELL;
    const step = Math.max(aspect / FIELD.width, (1.5 * distance) / FIELD.height) * distance;
    let sum = 0;
    for (let octave = 0; octave < OCTAVES; octave++) {
      const scale = 2 ** octave;
      const visible = smooth(CELL / scale / step - 1);
      if (visible === 0) break;
      const noise = valueNoise(across * scale + 7 * octave, away * scale, 31 + octave) - 0.5;
      sum += (WEIGHTS[octave] ?? 0) * visible * noise;
    }
    return 0.5 + sum / TOTAL;
  });
}

/** How far towards the light a cloud is lower, in rows of the plane, and how much that counts. */
const SLOPE = { rows: 7, factor: 4.2 };

function lightOf({ values }: Plane, lit: CloudForm['lit']): Plane {
  const towards = (lit === 'above' ? -1 : 1) * SLOPE.rows * FIELD.width;
  return planeOf(FIELD, (at) => {
    const own = values[at] ?? 0;
    return Math.min(1, Math.max(0, 0.55 + SLOPE.factor * (own - (values[at + towards] ?? own))));
  });
}
