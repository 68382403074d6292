import type { Matrix3x3 } from 'sharp';
import { openRaw, toRaw } from '../../imaging/libvips.ts';
import { byIntensity, type Operation } from './operation.ts';

interface Season {
  /** Every row adds up to about 1, so that greys and skies keep their colour while greens change. */
  colours: Matrix3x3;
  saturation: number;
  brightness: number;
}

const SUMMER: Season = {
  colours: [
    [1.04, 0, 0],
    [0, 1.02, 0],
    [0, 0, 0.93],
  ],
  saturation: 1.2,
  brightness: 1.02,
};

const SEASONS: ReadonlyMap<string | undefined, Season> = new Map([
  [
    'spring',
    {
      colours: [
        [0.9, 0.12, 0],
        [-0.06, 1.12, 0],
        [0, 0.04, 0.96],
      ],
      saturation: 1.15,
      brightness: 1.05,
    },
  ],
  [
    'fall',
    {
      colours: [
        [0.4, 0.95, -0.33],
        [0.28, 0.64, 0.06],
        [0.12, 0.06, 0.76],
      ],
      saturation: 1.2,
      brightness: 1,
    },
  ],
  [
    'winter',
    {
      colours: [
        [0.62, 0.3, 0.05],
        [0.18, 0.72, 0.1],
        [0.16, 0.24, 0.66],
      ],
      saturation: 0.45,
      brightness: 1.12,
    },
  ],
]);

export const changeSeason: Operation = byIntensity((image, settings) => {
  const { colours, saturation, brightness } = SEASONS.get(settings.season) ?? SUMMER;
  return toRaw(openRaw(image).recomb(colours).modulate({ saturation, brightness }));
});
