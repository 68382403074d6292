import type { Rgb } from './colour.ts';

export interface Hour {
  /** Channel gains that turn daylight on walls and ground into the light of the hour. */
  light: Rgb;
  /** Above 1, shadows get darker than the rest. */
  gamma: number;
  /** Colours from the top of the sky to the horizon. */
  sky: readonly Rgb[];
  /** How much light from inside shows in the windows, 0 to 1. */
  glow: number;
}

const GOLDEN_HOUR: Hour = {
  light: [1.02, 0.88, 0.66],
  gamma: 1.1,
  sky: [
    [112, 150, 196],
    [186, 190, 190],
    [250, 212, 150],
    [255, 196, 118],
  ],
  glow: 0.6,
};

export const DUSK: Hour = {
  light: [0.62, 0.56, 0.66],
  gamma: 1.22,
  sky: [
    [32, 50, 108],
    [74, 86, 150],
    [178, 132, 150],
    [248, 174, 126],
  ],
  glow: 0.92,
};

const BLUE_HOUR: Hour = {
  light: [0.42, 0.48, 0.68],
  gamma: 1.26,
  sky: [
    [20, 38, 92],
    [44, 74, 144],
    [104, 126, 182],
    [164, 158, 186],
  ],
  glow: 0.97,
};

const NIGHT: Hour = {
  light: [0.3, 0.33, 0.46],
  gamma: 1.3,
  sky: [
    [8, 12, 34],
    [16, 24, 58],
    [30, 42, 84],
    [48, 58, 98],
  ],
  glow: 1,
};

/** By the option `timeShift`. */
export const HOURS: ReadonlyMap<string | undefined, Hour> = new Map([
  ['golden-hour', GOLDEN_HOUR],
  ['dusk', DUSK],
  ['blue-hour', BLUE_HOUR],
  ['night', NIGHT],
]);
