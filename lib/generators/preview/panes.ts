import type { RawImage } from '../../imaging/libvips.ts';
import { flood, type Mask, refine } from './masks.ts';
import { boxBlur, colourAt, lumaOf, type Plane, planeOf, thumbnailOf } from './plane.ts';
import { greenness } from './plants.ts';
import { valueNoise } from './texture.ts';

const SIDE = 640;
/** A pane is this much darker than the wall around it, and no brighter than this. */
const DARKER = 16;
/** Radius in pixels of the thumbnail, wider than a window, so that its middle is compared with the wall as well. */
const SURROUNDINGS = 32;
const BRIGHTEST = 150;
/** Glass has hardly a colour of its own: the channels differ by at most this. */
const SPREAD = 48;
/** Of the image. */
const AREA = { least: 0.00018, most: 0.012 };
/** How much of its box a pane fills, and the width of the box in heights. */
const FILLED = 0.8;
const ASPECT = { least: 0.34, most: 2.4 };
/** Panes lie above this share of the height: below it are cobbles and kerbs. */
const LOWEST = 0.82;
/** Fewer may be anything dark. */
const LEAST_PANES = 3;

export interface Panes {
  mask: Mask;
  /** How bright the light behind each pane is, 0 to 1, also a little around it. */
  brightness: Plane;
  /** The light that falls from the panes on what is near them, 0 to 1. */
  spill: Plane;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Dark window panes of a facade in daylight; undefined when there are too few to be sure. */
export async function findPanes(image: RawImage): Promise<Panes | undefined> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const selected = planeOf(thumbnail, () => 0);
  const brightness = planeOf(thumbnail, () => 0);
  const areas = panesOf(thumbnail);
  if (areas.length < LEAST_PANES) return undefined;
  for (const { area, box } of areas) {
    for (const at of area) selected.values[at] = 1;
    // Rooms are lit differently; panes of one window are near each other and share the noise.
    const light = 0.72 + 0.28 * valueNoise(box.left / 60, box.top / 60, 3);
    fillBox(
      brightness,
      { ...box, left: box.left - 3, top: box.top - 3, right: box.right + 3, bottom: box.bottom + 3 },
      light,
    );
  }
  const spill = boxBlur(boxBlur(selected, 9), 9);
  return { mask: refine(image, thumbnail, selected), brightness, spill };
}

function panesOf(thumbnail: RawImage): { area: number[]; box: Box }[] {
  const { pixels, width, height } = thumbnail;
  const luma = lumaOf(thumbnail);
  const around = boxBlur(luma, SURROUNDINGS).values;
  const isGlass = (at: number) => {
    const [red, green, blue] = colourAt(pixels, at);
    const level = luma.values[at] ?? 0;
    return (
      level < BRIGHTEST &&
      level < (around[at] ?? 0) - DARKER &&
      Math.max(red, green, blue) - Math.min(red, green, blue) < SPREAD &&
      greenness(red, green, blue) < 0.2
    );
  };
  const seen = new Uint8Array(width * height);
  const panes: { area: number[]; box: Box }[] = [];
  for (let start = 0; start < seen.length; start++) {
    const area = flood(thumbnail, [start], isGlass, seen);
    if (area.length < AREA.least * seen.length || area.length > AREA.most * seen.length) continue;
    const box = boxOf(area, width);
    if (isPane(area, box, thumbnail)) panes.push({ area, box });
  }
  return panes;
}

function boxOf(area: readonly number[], width: number): Box {
  const box = { left: width, top: Number.POSITIVE_INFINITY, right: 0, bottom: 0 };
  for (const at of area) {
    const [x, y] = [at % width, Math.floor(at / width)];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function isPane(area: readonly number[], box: Box, { width, height }: RawImage): boolean {
  const [across, down] = [box.right - box.left + 1, box.bottom - box.top + 1];
  return (
    area.length > FILLED * across * down &&
    across > ASPECT.least * down &&
    across < ASPECT.most * down &&
    box.left > 0 &&
    box.right < width - 1 &&
    box.bottom < LOWEST * height
  );
}

function fillBox({ values, width, height }: Plane, box: Box, value: number): void {
  for (let y = Math.max(0, box.top); y <= Math.min(height - 1, box.bottom); y++)
    values.fill(value, y * width + Math.max(0, box.left), y * width + Math.min(width - 1, box.right) + 1);
}
