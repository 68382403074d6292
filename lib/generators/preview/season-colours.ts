import type { Rgb } from './colour.ts';

/** What becomes of a plant's luma: `offset + gain * luma` for each channel. */
export interface Tint {
  offset: number;
  /** Plants vary from the first to the last of these. */
  gains: readonly Rgb[];
  /** How much of the own colour goes, 0 to 1. */
  share: number;
}

export interface Season {
  leaves: Tint;
  lawn: Tint;
  /** Levels that a snow dusting adds to the upper sides of leaves; lawns are then covered with snow. */
  snow?: number;
  sky?: Tint;
}

export const SUMMER: Season = {
  leaves: {
    offset: 0,
    gains: [
      [0.7, 1.12, 0.36],
      [0.84, 1.22, 0.4],
    ],
    share: 0.65,
  },
  lawn: {
    offset: 0,
    gains: [
      [0.76, 1.1, 0.38],
      [0.86, 1.14, 0.42],
    ],
    share: 0.7,
  },
};

const SPRING: Season = {
  leaves: {
    offset: 20,
    gains: [
      [0.98, 1.34, 0.34],
      [1.16, 1.38, 0.5],
    ],
    share: 0.8,
  },
  lawn: {
    offset: 10,
    gains: [
      [0.86, 1.2, 0.4],
      [0.98, 1.22, 0.44],
    ],
    share: 0.7,
  },
};

const FALL: Season = {
  leaves: {
    offset: 12,
    gains: [
      [1.3, 0.56, 0.24],
      [1.5, 0.84, 0.26],
      [1.48, 1.14, 0.34],
    ],
    share: 0.95,
  },
  lawn: {
    offset: 0,
    gains: [
      [1, 1.04, 0.46],
      [1.2, 1.02, 0.52],
    ],
    share: 0.62,
  },
  sky: { offset: 12, gains: [[1.03, 0.99, 0.93]], share: 0.4 },
};

const WINTER: Season = {
  leaves: {
    offset: 16,
    gains: [
      [0.96, 0.89, 0.82],
      [0.98, 0.95, 0.92],
    ],
    share: 0.92,
  },
  lawn: {
    offset: 8,
    gains: [
      [1.02, 0.97, 0.7],
      [1.08, 1, 0.76],
    ],
    share: 0.8,
  },
  snow: 70,
  sky: { offset: 92, gains: [[0.63, 0.655, 0.68]], share: 0.75 },
};

/** By the option `season`. */
export const SEASONS: ReadonlyMap<string | undefined, Season> = new Map([
  ['spring', SPRING],
  ['summer', SUMMER],
  ['fall', FALL],
  ['winter', WINTER],
]);
