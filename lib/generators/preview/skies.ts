import type { CloudForm } from './clouds.ts';
import type { Rgb } from './colour.ts';

export interface Sky {
  /** From the top to the horizon. */
  colours: readonly Rgb[];
  form: CloudForm;
  /** Colours of clouds where they have light and where they have none, and their densest opacity. */
  lit: Rgb;
  shaded: Rgb;
  density: number;
  /** Gains of the scene under this sky. */
  light: Rgb;
}

const BLUE: readonly Rgb[] = [
  [52, 106, 182],
  [112, 164, 218],
  [198, 221, 238],
];

export const CLOUDS: Sky = {
  colours: BLUE,
  form: { cover: 0.36, softness: 0.13, lit: 'above' },
  lit: [253, 253, 253],
  shaded: [188, 201, 219],
  density: 0.96,
  light: [1, 1, 1],
};

const CLEAR: Sky = { ...CLOUDS, form: { ...CLOUDS.form, cover: 0 } };

const OVERCAST: Sky = {
  colours: [
    [204, 209, 214],
    [221, 224, 227],
    [233, 234, 234],
  ],
  form: { cover: 0.8, softness: 0.4, lit: 'above' },
  lit: [243, 244, 245],
  shaded: [190, 197, 205],
  density: 0.75,
  light: [0.96, 0.97, 0.99],
};

const GOLDEN_HOUR: Sky = {
  colours: [
    [104, 144, 192],
    [206, 196, 178],
    [255, 206, 132],
  ],
  form: { cover: 0.34, softness: 0.16, lit: 'below' },
  lit: [255, 231, 184],
  shaded: [190, 164, 160],
  density: 0.85,
  light: [1.04, 0.96, 0.84],
};

const SUNSET: Sky = {
  colours: [
    [66, 80, 138],
    [190, 118, 130],
    [255, 172, 98],
  ],
  form: { cover: 0.42, softness: 0.16, lit: 'below' },
  lit: [255, 170, 118],
  shaded: [132, 86, 122],
  density: 0.88,
  light: [0.96, 0.86, 0.8],
};

const TWILIGHT: Sky = {
  colours: [
    [26, 42, 96],
    [68, 86, 150],
    [186, 150, 160],
  ],
  form: { cover: 0.34, softness: 0.18, lit: 'below' },
  lit: [146, 122, 152],
  shaded: [48, 56, 100],
  density: 0.75,
  light: [0.66, 0.68, 0.82],
};

const DRAMATIC: Sky = {
  colours: [
    [62, 92, 134],
    [118, 142, 170],
    [206, 212, 216],
  ],
  form: { cover: 0.66, softness: 0.1, lit: 'above' },
  lit: [244, 244, 243],
  shaded: [84, 95, 112],
  density: 1,
  light: [0.92, 0.94, 0.97],
};

/** By the option `skyType`. */
export const SKIES: ReadonlyMap<string | undefined, Sky> = new Map([
  ['clear-blue', CLEAR],
  ['blue-with-clouds', CLOUDS],
  ['soft-overcast', OVERCAST],
  ['golden-hour', GOLDEN_HOUR],
  ['sunset', SUNSET],
  ['twilight', TWILIGHT],
  ['dramatic-clouds', DRAMATIC],
]);
