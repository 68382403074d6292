import { openRaw } from '../../imaging/libvips.ts';
import { blend, overDaylight, type Rgb, verticalGradient } from './layers.ts';
import type { Operation } from './operation.ts';
import { tint } from './tone.ts';

interface Hour {
  /** Channel gains that turn daylight on walls and ground into the light of the hour. */
  light: Rgb;
  /** Colours from the zenith to the horizon, then white, so that the ground keeps its own colour. */
  sky: readonly Rgb[];
}

const GROUND: readonly Rgb[] = [
  [255, 255, 255],
  [255, 255, 255],
];

const DUSK: Hour = {
  light: [0.72, 0.62, 0.7],
  sky: [[52, 74, 140], [112, 108, 172], [236, 160, 130], [255, 205, 150], ...GROUND],
};

const HOURS: ReadonlyMap<string | undefined, Hour> = new Map([
  [
    'golden-hour',
    { light: [1, 0.86, 0.68], sky: [[176, 196, 222], [240, 214, 178], [255, 212, 140], ...GROUND] },
  ],
  [
    'blue-hour',
    { light: [0.4, 0.46, 0.66], sky: [[36, 58, 120], [70, 104, 176], [150, 160, 200], ...GROUND] },
  ],
  ['night', { light: [0.34, 0.37, 0.52], sky: [[16, 24, 60], [30, 44, 96], [60, 74, 130], ...GROUND] }],
]);

const INDOORS_EVENING: readonly Rgb[] = [
  [44, 66, 132],
  [72, 90, 160],
  [150, 120, 150],
];

/** Colours the sky, which is the brightest part of a daytime photo, and dims the rest. */
export const duskOutside: Operation = async (image, settings) => {
  const hour = HOURS.get(settings.timeShift) ?? DUSK;
  const sky = await overDaylight(image, await verticalGradient(image, hour.sky), [170, 220]);
  return blend(openRaw(await tint(image, hour.light)), sky, 'multiply');
};

/** Turns the daylight in windows, the bluest light of the room, deep blue, and warms the room with lamplight. */
export const duskInside: Operation = async (image, settings) => {
  const room = await tint(
    image,
    settings.interiorLights === 'false' ? [0.42, 0.46, 0.6] : [0.84, 0.72, 0.58],
  );
  if (settings.hasWindows === 'false') return room;
  const evening = await verticalGradient(image, INDOORS_EVENING);
  return blend(openRaw(room), await overDaylight(image, evening, [205, 255]), 'multiply');
};
