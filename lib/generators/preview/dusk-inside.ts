import type { RawImage } from '../../imaging/libvips.ts';
import { gradientAt, type Rgb } from './colour.ts';
import { type Curve, curveOf } from './curve.ts';
import { duskOutside } from './dusk-outside.ts';
import { guidedRows, smoothLight } from './guided.ts';
import { lampGlow } from './lamps.ts';
import type { Operation } from './operation.ts';
import { lumaAt, lumaOf, percentile, rowReader, thumbnailOf } from './plane.ts';
import { ramp } from './plants.ts';
import { sceneOf } from './scene.ts';
import { LIGHT } from './tone.ts';
import { findWindows } from './windows.ts';

/** Channel gains of the room. */
const LAMPLIGHT: Rgb = [0.93, 0.79, 0.61];
const UNLIT: Rgb = [0.5, 0.55, 0.71];
const GAMMA = 1.16;

/** The view, from the top of the image to the bottom. */
const EVENING: readonly Rgb[] = [
  [28, 44, 92],
  [58, 76, 132],
  [126, 114, 146],
];

/** Light above this share of the room's is the sun's; so much of it stays. */
const DAYLIGHT = { above: 0.4, left: 0.3 };

/** The glow of a lamp's own shade, which has its light from inside. */
const SHADE = [0.35, 0.55] as const;

/** Turns the view through the windows blue, and lights the room with lamps or hardly at all. */
export const duskInside: Operation = async (image, { hasWindows, interiorLights }) => {
  const lights = interiorLights !== 'false';
  const scene = await sceneOf(image);
  if (scene === 'exterior') return duskOutside(image, { windowGlow: String(lights) });
  if (scene === 'neither') return undefined;
  const thumbnail = await thumbnailOf(image, LIGHT.side);
  const windows = await findWindows(image);
  if (windows === undefined && hasWindows !== 'false') return undefined;
  const glowAt = lights ? rowReader(await lampGlow(image, windows), image) : undefined;
  const room = (lights ? LAMPLIGHT : UNLIT).map((gain) => curveOf((share) => gain * share ** GAMMA));
  const daylightAt = daylightReader(image, thumbnail);
  for (let y = 0; y < image.height; y++) {
    const view = gradientAt(EVENING, y / image.height);
    const mask = hasWindows === 'false' ? undefined : windows?.row(y);
    editRow(image, y, { room, view, glow: glowAt?.(y), daylight: daylightAt(y), mask });
  }
  return image;
};

/** Reads factors that take the sun out of the room: its patches on the floor, and bright walls beside the window. */
function daylightReader(image: RawImage, thumbnail: RawImage): (y: number) => Float32Array {
  const mapAt = guidedRows(smoothLight(thumbnail, LIGHT), image);
  const room = percentile(lumaOf(thumbnail).values, DAYLIGHT.above);
  const row = new Float32Array(image.width);
  return (y) => {
    const { slope, offset } = mapAt(y);
    for (let x = 0, at = y * image.width * 3; x < row.length; x++, at += 3) {
      const light = (slope[x] ?? 0) * lumaAt(image.pixels, at) + (offset[x] ?? 0);
      row[x] = light > room ? (room + DAYLIGHT.left * (light - room)) / light : 1;
    }
    return row;
  };
}

interface Row {
  room: readonly Curve[];
  view: Rgb;
  glow: Float32Array | undefined;
  daylight: Float32Array;
  mask: Float32Array | undefined;
}

function editRow({ pixels, width }: RawImage, y: number, { room, view, glow, daylight, mask }: Row): void {
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const share = mask?.[x] ?? 0;
    const lamp = glow?.[x] ?? 0;
    const sun = daylight[x] ?? 1;
    const light = sun + (1 - sun) * ramp(lamp, ...SHADE);
    const brightness = (lumaAt(pixels, at) / 255) ** 1.4;
    for (let channel = 0; channel < 3; channel++) {
      const level = pixels[at + channel] ?? 0;
      const dimmed = Math.min(level, (room[channel]?.[level] ?? 0) * light * (1 + lamp));
      const dark = (view[channel] ?? 0) * brightness + 0.1 * level;
      pixels[at + channel] = dimmed + (dark - dimmed) * share;
    }
  }
}
