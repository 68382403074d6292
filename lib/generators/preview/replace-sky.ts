import type { RawImage } from '../../imaging/libvips.ts';
import { type CloudRow, drawClouds } from './clouds.ts';
import { gradientAt, type Rgb } from './colour.ts';
import type { Operation } from './operation.ts';
import { CLOUDS, SKIES, type Sky } from './skies.ts';
import { findSky, measureSky } from './sky.ts';

/** Puts a drawn sky where the old one was. Undefined when there is none. */
export const replaceSky: Operation = async (image, { skyType, matchLight }) => {
  const mask = await findSky(image);
  if (mask === undefined) return undefined;
  const sky = SKIES.get(skyType) ?? CLOUDS;
  const { horizon } = measureSky(image, mask);
  const cloudsAt = drawClouds(image, horizon, sky.form);
  const light = matchLight === 'false' ? CLOUDS.light : sky.light;
  for (let y = 0; y < image.height; y++)
    paintRow(image, y, {
      colour: gradientAt(sky.colours, y / horizon),
      sky,
      light,
      clouds: cloudsAt(y),
      share: mask.row(y),
    });
  return image;
};

interface Row {
  colour: Rgb;
  sky: Sky;
  light: Rgb;
  clouds: CloudRow;
  share: Float32Array;
}

/** Levels of noise that keep a smooth gradient from showing steps. */
const DITHER = 2;

function paintRow({ pixels, width }: RawImage, y: number, { colour, sky, light, clouds, share }: Row): void {
  const { lit, shaded, density } = sky;
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const [above, bright] = [share[x] ?? 0, clouds.light[x] ?? 0];
    const cloud = density * (clouds.opacity[x] ?? 0);
    const dither = 0.5 + DITHER * (clouds.grain[x] ?? 0);
    for (let channel = 0; channel < 3; channel++) {
      const scene = (pixels[at + channel] ?? 0) * (light[channel] ?? 1);
      const [blue, dark] = [colour[channel] ?? 0, shaded[channel] ?? 0];
      const painted = blue + (dark + ((lit[channel] ?? 0) - dark) * bright - blue) * cloud + dither;
      pixels[at + channel] = Math.min(255, scene + (painted - scene) * above);
    }
  }
}
