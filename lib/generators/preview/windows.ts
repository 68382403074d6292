import type { RawImage, Size } from '../../imaging/libvips.ts';
import { clamp } from './curve.ts';
import { flood, type Mask, refine } from './masks.ts';
import { boxBlur, lumaOf, meanOf, type Plane, percentile, planeOf, thumbnailOf } from './plane.ts';
import { wholeViews } from './views.ts';

const SIDE = 320;
/** Of the image: smaller areas are lamps and reflections, larger ones are bright walls. */
const AREA = { least: 0.004, most: 0.35 };
/** A single pane may be smaller where it is blue, as no lamp is. */
const BLUE_PANE = 0.0018;
const MOSTLY = 0.6;
/** Of the image: smaller areas are no panes. */
const SPECK = 0.0005;
/** A view is this much brighter than the bright quarter of the room, or this much bluer (logarithm) than its middle. */
const BRIGHTER = 30;
const BLUER = 0.25;
/** A view ends at its frame, unlike the light on a ceiling: this share of its outline is a step of this height. */
const OUTLINE = { share: 0.45, step: 20 };
/** Sunlight on the floor lies below this share of the height. */
const LOWEST = 0.62;

/**
 * Panes this close to a view, in pixels of the thumbnail, belong to the same window unless they are as narrow as sills
 * and folds of curtains. Blue panes may be farther above it, and a bar this wide between.
 */
const SAME_WINDOW = { reach: 9, narrowest: 5, above: 50, bar: 14 };

/** The indexes of connected pixels. */
type Area = readonly number[];

/**
 * The view through the windows of a room: areas with a sharp outline that are far brighter or bluer than the room, the
 * panes next to them, and what joins them smoothly. Undefined when there are none.
 */
export async function findWindows(image: RawImage): Promise<Mask | undefined> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const luma = lumaOf(thumbnail);
  const { isBright, isBlue } = daylightTests(thumbnail, luma.values);
  const areas = areasOf(thumbnail, (at) => isBright(at) || isBlue(at));
  const panes = planeOf(luma, () => 0);
  for (const area of areas) if (isView(area, luma, isBlue)) add(panes, area);
  const near = boxBlur(panes, SAME_WINDOW.reach).values;
  const below = shadowAbove(panes, SAME_WINDOW.above);
  for (const area of areas) {
    const isUpper = shareOf(area, isBlue) > MOSTLY && shareOf(area, (at) => below[at] === 1) > MOSTLY;
    const isNear = area.some((at) => (near[at] ?? 0) > 0);
    if (isUpper || (isNear && narrowSide(area, luma) >= SAME_WINDOW.narrowest)) add(panes, area);
  }
  const selected = wholeViews(thumbnail, panes, SAME_WINDOW.bar);
  const share = meanOf(selected.values);
  return share < AREA.least || share > AREA.most ? undefined : refine(image, thumbnail, selected);
}

function add({ values }: Plane, area: Area): void {
  for (const at of area) values[at] = 1;
}

/** The mean width of an area across its longer side. */
function narrowSide(area: Area, { width }: Size): number {
  const rows = new Set(area.map((at) => Math.floor(at / width)));
  const columns = new Set(area.map((at) => at % width));
  return area.length / Math.max(rows.size, columns.size);
}

/** Marks the pixels that have a pane at most so many rows below them. */
function shadowAbove({ values, width }: Plane, rows: number): Uint8Array {
  const marks = new Uint8Array(values.length);
  for (let at = 0; at < values.length; at++)
    if (values[at] === 1)
      for (let up = 0; up <= rows && at - up * width >= 0; up++) marks[at - up * width] = 1;
  return marks;
}

/** The share of an area's pixels that pass. */
const shareOf = (area: Area, passes: (at: number) => boolean) => area.filter(passes).length / area.length;

/** The connected areas of the pixels that pass, without specks. */
function areasOf(size: Size, passes: (at: number) => boolean): Area[] {
  const seen = new Uint8Array(size.width * size.height);
  const areas: Area[] = [];
  for (let start = 0; start < seen.length; start++) {
    const area = flood(size, [start], passes, seen);
    if (area.length > SPECK * seen.length) areas.push(area);
  }
  return areas;
}

/** Tells daylight from the light of the room, and which of it is blue. */
function daylightTests(
  { pixels }: RawImage,
  luma: Float32Array,
): Record<'isBright' | 'isBlue', (at: number) => boolean> {
  const blueness = luma.map((_, at) =>
    Math.log(((pixels[at * 3 + 2] ?? 0) + 8) / ((pixels[at * 3] ?? 0) + 8)),
  );
  const bright = Math.min(250, Math.max(180, percentile(luma, 0.75) + BRIGHTER));
  const [blue, middle] = [percentile(blueness, 0.5) + BLUER, Math.max(150, percentile(luma, 0.5))];
  return {
    isBright: (at) => (luma[at] ?? 0) > bright,
    isBlue: (at) => (blueness[at] ?? 0) > blue && (luma[at] ?? 0) > middle,
  };
}

function isView(area: Area, luma: Plane, isBlue: (at: number) => boolean): boolean {
  const { width, height, values } = luma;
  const share = area.length / values.length;
  const least = shareOf(area, isBlue) > MOSTLY ? BLUE_PANE : AREA.least;
  const rows = area.reduce((sum, at) => sum + Math.floor(at / width), 0) / area.length;
  return share >= least && share <= AREA.most && rows < LOWEST * height && hasFrame(area, luma);
}

function hasFrame(area: Area, { values, width, height }: Plane): boolean {
  const inside = new Set(area);
  let [outline, steps] = [0, 0];
  for (const at of area) {
    const [x, y] = [at % width, Math.floor(at / width)];
    for (const [dx, dy] of NEIGHBOURS) {
      if (!isWithin(x + dx, y + dy, width, height) || inside.has((y + dy) * width + x + dx)) continue;
      outline++;
      // A few pixels on, because a thumbnail blurs every edge.
      const beyond = clamp(y + 3 * dy, 0, height - 1) * width + clamp(x + 3 * dx, 0, width - 1);
      if (Math.abs((values[at] ?? 0) - (values[beyond] ?? 0)) > OUTLINE.step) steps++;
    }
  }
  return steps > outline * OUTLINE.share;
}

const NEIGHBOURS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

const isWithin = (x: number, y: number, width: number, height: number) =>
  x >= 0 && y >= 0 && x < width && y < height;
