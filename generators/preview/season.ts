import type { RawImage } from '../../imaging/libvips.ts';
import { cloudyPlane, mixed, type Rgb } from './colour.ts';
import type { Operation } from './operation.ts';
import { lumaAt, rowReader } from './plane.ts';
import { findPlants, greenness } from './plants.ts';
import { strengthOf } from './tone.ts';

/** What becomes of a plant's luma: `offset + gain * luma` for each channel. */
interface Foliage {
  offset: number;
  /** Leaves vary between these two, in patches. */
  gains: readonly [Rgb, Rgb];
}

interface Season {
  leaves: Foliage;
  lawn: Foliage;
  /** How much of the plant's own colour goes. */
  share: { leaves: number; lawn: number };
}

const SUMMER: Season = {
  leaves: {
    offset: 0,
    gains: [
      [0.82, 1.2, 0.42],
      [0.9, 1.22, 0.42],
    ],
  },
  lawn: {
    offset: 2,
    gains: [
      [0.86, 1.18, 0.4],
      [0.92, 1.18, 0.44],
    ],
  },
  share: { leaves: 0.6, lawn: 0.7 },
};

const SEASONS: ReadonlyMap<string | undefined, Season> = new Map([
  [
    'spring',
    {
      leaves: {
        offset: 14,
        gains: [
          [0.98, 1.16, 0.5],
          [1.06, 1.12, 0.62],
        ],
      },
      lawn: {
        offset: 8,
        gains: [
          [0.86, 1.18, 0.46],
          [0.94, 1.16, 0.46],
        ],
      },
      share: { leaves: 0.75, lawn: 0.7 },
    },
  ],
  [
    'fall',
    {
      leaves: {
        offset: 10,
        gains: [
          [1.5, 0.9, 0.24],
          [1.42, 1.12, 0.28],
        ],
      },
      lawn: {
        offset: 0,
        gains: [
          [1.08, 1.03, 0.5],
          [1.16, 1.02, 0.52],
        ],
      },
      share: { leaves: 0.92, lawn: 0.65 },
    },
  ],
  [
    'winter',
    {
      leaves: {
        offset: 34,
        gains: [
          [1, 0.97, 0.95],
          [0.96, 0.98, 1.03],
        ],
      },
      lawn: {
        offset: 150,
        gains: [
          [0.56, 0.58, 0.62],
          [0.6, 0.62, 0.66],
        ],
      },
      share: { leaves: 0.9, lawn: 0.94 },
    },
  ],
]);

/** Share of the image: less is a pot plant in a room. */
const LEAST_PLANTS = 0.04;

/** Recolours what is green as plants are. Buildings, paving and sky keep their colour. */
export const changeSeason: Operation = async (image, settings) => {
  const plants = await findPlants(image);
  if (plants.share < LEAST_PLANTS) return undefined;
  const season = SEASONS.get(settings.season) ?? SUMMER;
  const strength = Math.min(1.08, 0.4 + 0.6 * strengthOf(settings));
  const [nearAt, groundAt] = [rowReader(plants.near, image), rowReader(plants.ground, image)];
  const patchAt = rowReader(cloudyPlane({ width: 160, height: 120 }, 28, 5), image);
  for (let y = 0; y < image.height; y++)
    editRow(image, y, { season, strength, near: nearAt(y), ground: groundAt(y), patch: patchAt(y) });
  return image;
};

interface Row {
  season: Season;
  strength: number;
  near: Float32Array;
  ground: Float32Array;
  patch: Float32Array;
}

function editRow({ pixels, width }: RawImage, y: number, row: Row): void {
  const { leaves, lawn, share } = row.season;
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const near = row.near[x] ?? 0;
    if (near === 0) continue;
    const ground = row.ground[x] ?? 0;
    const green = greenness(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, ground) * near;
    if (green === 0) continue;
    const luma = lumaAt(pixels, at);
    const leafGain = mixed(...leaves.gains, row.patch[x] ?? 0);
    const gain = mixed(leafGain, mixed(...lawn.gains, row.patch[x] ?? 0), ground);
    const offset = leaves.offset + (lawn.offset - leaves.offset) * ground;
    const weight = Math.min(1, green * row.strength * (share.leaves + (share.lawn - share.leaves) * ground));
    for (let channel = 0; channel < 3; channel++) {
      const level = pixels[at + channel] ?? 0;
      const goal = Math.min(255, offset + (gain[channel] ?? 1) * luma);
      pixels[at + channel] = level + (goal - level) * weight;
    }
  }
}
