import type { RawImage, Size } from '../../imaging/libvips.ts';
import { clamp } from './curve.ts';
import { flood, type Mask, refine } from './masks.ts';
import { boxBlur, lumaOf, type Plane, percentile, thumbnailOf } from './plane.ts';

const SIDE = 320;
/** Of the image: smaller areas are lamps and reflections, larger ones are bright walls. */
const AREA = { least: 0.004, most: 0.35 };
/** Of the image: smaller areas are no panes. */
const SPECK = 0.0005;
/** A view is this much brighter than the bright quarter of the room, or this much bluer (logarithm) than its middle. */
const BRIGHTER = 30;
const BLUER = 0.25;
/** A view ends at its frame, unlike the light on a ceiling: this share of its outline is a step of this height. */
const OUTLINE = { share: 0.45, step: 20 };
/** Sunlight on the floor lies below this share of the height. */
const LOWEST = 0.62;

/** Panes this close to a view, in pixels of the thumbnail, belong to the same window. */
const SAME_WINDOW = 9;

/**
 * The view through the windows of a room: areas with a sharp outline that are far brighter or bluer than the room, and
 * the panes next to them, each filled up to the spans of its rows and columns. Undefined when there are none.
 */
export async function findWindows(image: RawImage): Promise<Mask | undefined> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const luma = lumaOf(thumbnail);
  const areas = areasOf(thumbnail, daylightTest(thumbnail, luma.values));
  const selected = { ...luma, values: new Float32Array(luma.values.length) };
  const add = (area: Uint8Array) => fillSpans(selected.values, area, luma.width, luma.height);
  const views = areas.filter((area) => isView(area, luma));
  for (const area of views) add(area);
  const near = boxBlur(selected, SAME_WINDOW).values;
  for (const area of areas)
    if (!views.includes(area) && area.some((inside, at) => inside === 1 && (near[at] ?? 0) > 0)) add(area);
  const share = meanOf(selected.values);
  return share < AREA.least || share > AREA.most ? undefined : refine(image, thumbnail, selected);
}

/** The connected areas of the pixels that pass, without specks. */
function areasOf(size: Size, passes: (at: number) => boolean): Uint8Array[] {
  const seen = new Uint8Array(size.width * size.height);
  const areas: Uint8Array[] = [];
  for (let start = 0; start < seen.length; start++) {
    const found = flood(size, [start], passes, seen);
    if (found.length <= SPECK * seen.length) continue;
    const area = new Uint8Array(seen.length);
    for (const at of found) area[at] = 1;
    areas.push(area);
  }
  return areas;
}

function daylightTest({ pixels }: RawImage, luma: Float32Array): (at: number) => boolean {
  const blueness = luma.map((_, at) =>
    Math.log(((pixels[at * 3 + 2] ?? 0) + 8) / ((pixels[at * 3] ?? 0) + 8)),
  );
  const bright = Math.min(250, Math.max(180, percentile(luma, 0.75) + BRIGHTER));
  const [blue, middle] = [percentile(blueness, 0.5) + BLUER, Math.max(150, percentile(luma, 0.5))];
  return (at) => (luma[at] ?? 0) > bright || ((blueness[at] ?? 0) > blue && (luma[at] ?? 0) > middle);
}

function isView(area: Uint8Array, { values, width, height }: Plane): boolean {
  const share = meanOf(area);
  if (share < AREA.least || share > AREA.most) return false;
  let [outline, steps, rows] = [0, 0, 0];
  for (let at = 0; at < area.length; at++) {
    if (area[at] !== 1) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    rows += y;
    for (const [dx, dy] of NEIGHBOURS) {
      if (!isInside(x + dx, y + dy, width, height) || area[(y + dy) * width + x + dx] === 1) continue;
      outline++;
      // A few pixels on, because a thumbnail blurs every edge.
      const beyond = clamp(y + 3 * dy, 0, height - 1) * width + clamp(x + 3 * dx, 0, width - 1);
      if (Math.abs((values[at] ?? 0) - (values[beyond] ?? 0)) > OUTLINE.step) steps++;
    }
  }
  return steps > outline * OUTLINE.share && rows / (share * area.length) < LOWEST * height;
}

const NEIGHBOURS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

const isInside = (x: number, y: number, width: number, height: number) =>
  x >= 0 && y >= 0 && x < width && y < height;

function meanOf(values: Float32Array | Uint8Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Marks what lies between pixels of the area both in its row and in its column: trees and cars in the view. */
function fillSpans(selected: Float32Array, area: Uint8Array, width: number, height: number): void {
  const across = new Uint8Array(area.length);
  for (let y = 0; y < height; y++) fillSpan(area, across, y * width, 1, width);
  const down = new Uint8Array(area.length);
  for (let x = 0; x < width; x++) fillSpan(area, down, x, width, height);
  for (let at = 0; at < selected.length; at++) if (across[at] === 1 && down[at] === 1) selected[at] = 1;
}

function fillSpan(from: Uint8Array, to: Uint8Array, start: number, step: number, count: number): void {
  let [first, last] = [-1, -1];
  for (let at = 0; at < count; at++) {
    if (from[start + at * step] !== 1) continue;
    if (first < 0) first = at;
    last = at;
  }
  if (first < 0) return;
  for (let at = first; at <= last; at++) to[start + at * step] = 1;
}
