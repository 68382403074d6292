import type { RawImage, Size } from '../../imaging/libvips.ts';
import { cloudyPlane, gradientAt, type Rgb } from './colour.ts';
import { measureSky } from './dusk-outside.ts';
import type { Operation } from './operation.ts';
import { type Plane, planeOf, rowReader } from './plane.ts';
import { findSky } from './sky.ts';

interface Sky {
  /** From the top to the horizon. */
  colours: readonly Rgb[];
  cloud: Rgb;
  /** Share of the sky that clouds cover, and how dense they get. */
  cover: number;
  density: number;
  /** Gains of the scene under this sky. */
  light: Rgb;
}

const CLOUDS: Sky = {
  colours: [
    [58, 112, 186],
    [122, 170, 220],
    [196, 220, 238],
  ],
  cloud: [250, 250, 250],
  cover: 0.44,
  density: 0.95,
  light: [1, 1, 1],
};

const SKIES: ReadonlyMap<string | undefined, Sky> = new Map([
  ['clear-blue', { ...CLOUDS, cover: 0, density: 0 }],
  [
    'soft-overcast',
    {
      colours: [
        [196, 202, 208],
        [218, 222, 226],
        [232, 233, 233],
      ],
      cloud: [244, 245, 246],
      cover: 0.75,
      density: 0.6,
      light: [0.97, 0.98, 1],
    },
  ],
  [
    'golden-hour',
    {
      colours: [
        [116, 150, 192],
        [214, 196, 172],
        [255, 206, 132],
      ],
      cloud: [255, 226, 178],
      cover: 0.4,
      density: 0.8,
      light: [1.04, 0.96, 0.84],
    },
  ],
  [
    'sunset',
    {
      colours: [
        [70, 84, 142],
        [196, 120, 128],
        [255, 170, 96],
      ],
      cloud: [255, 176, 132],
      cover: 0.45,
      density: 0.8,
      light: [0.96, 0.86, 0.8],
    },
  ],
  [
    'twilight',
    {
      colours: [
        [30, 44, 96],
        [78, 92, 150],
        [176, 148, 168],
      ],
      cloud: [128, 120, 156],
      cover: 0.35,
      density: 0.6,
      light: [0.74, 0.74, 0.86],
    },
  ],
  [
    'dramatic-clouds',
    {
      colours: [
        [74, 92, 116],
        [128, 144, 162],
        [198, 204, 208],
      ],
      cloud: [226, 228, 230],
      cover: 0.62,
      density: 1,
      light: [0.95, 0.96, 0.98],
    },
  ],
]);

/** Puts a drawn sky where the old one was. Undefined when there is none. */
export const replaceSky: Operation = async (image, { skyType, matchLight }) => {
  const mask = await findSky(image);
  if (mask === undefined) return undefined;
  const sky = SKIES.get(skyType) ?? CLOUDS;
  const { horizon } = measureSky(image, mask);
  const cloudAt = rowReader(cloudPlane(sky), image);
  const light = matchLight === 'false' ? CLOUDS.light : sky.light;
  for (let y = 0; y < image.height; y++)
    paintRow(image, y, {
      colour: gradientAt(sky.colours, y / horizon),
      sky,
      light,
      clouds: cloudAt(y),
      share: mask.row(y),
    });
  return image;
};

interface Row {
  colour: Rgb;
  sky: Sky;
  light: Rgb;
  clouds: Float32Array;
  share: Float32Array;
}

function paintRow({ pixels, width }: RawImage, y: number, { colour, sky, light, clouds, share }: Row): void {
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const [above, cloud] = [share[x] ?? 0, clouds[x] ?? 0];
    for (let channel = 0; channel < 3; channel++) {
      const scene = (pixels[at + channel] ?? 0) * (light[channel] ?? 1);
      const blue = colour[channel] ?? 0;
      const painted = blue + ((sky.cloud[channel] ?? 0) - blue) * cloud;
      pixels[at + channel] = Math.min(255, scene + (painted - scene) * above);
    }
  }
}

const CLOUD_SIZE: Size = { width: 480, height: 320 };
/** Sizes of the layers of noise, largest first; each counts half of the one before. */
const CELLS = [5, 10, 20, 40, 80, 160];

/** Clouds get flatter and denser towards the horizon, as seen from below. */
function cloudPlane({ cover, density }: Sky): Plane {
  const layers = CELLS.map((cells, index) =>
    cloudyPlane({ ...CLOUD_SIZE, height: 3 * CLOUD_SIZE.height }, cells, index + 11),
  );
  return planeOf(CLOUD_SIZE, (index) => {
    const x = index % CLOUD_SIZE.width;
    const y = Math.floor(index / CLOUD_SIZE.width);
    const stretched = Math.floor(2.6 * y * (0.6 + (0.4 * y) / CLOUD_SIZE.height));
    const at = Math.min(3 * CLOUD_SIZE.height - 1, stretched) * CLOUD_SIZE.width + x;
    let [sum, weight] = [0, 1];
    for (const layer of layers) {
      sum += weight * (layer.values[at] ?? 0);
      weight /= 1.9;
    }
    const height = sum / 2.06;
    return density * Math.min(1, Math.max(0, (height - 1 + cover * 0.85 + 0.08) / 0.22));
  });
}
