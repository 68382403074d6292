import type { RawImage, Size } from '../../imaging/libvips.ts';
import { fillHull, type Point } from './hull.ts';
import { flood } from './masks.ts';
import { boxBlur, colourAt, lumaOf, type Plane, planeOf } from './plane.ts';

/** A view goes on across steps of luma below this: from the sky through haze to the ground. */
const STEP = 11;
/** How far a view may go on beyond the panes that were found, in heights of these. */
const BEYOND = 0.6;
/** Outside of them it has this much of a colour, and more green or blue than red, unlike frames and walls. */
const COLOUR = 16;
/** Frames, in the light of the room, are bright and warmer than what lies outside. */
const FRAME = { darkest: 90, overGreen: 3, overBlue: 9 };

/** Completes the panes that were found to whole views, without the frames; `gap` is the width of a frame at most. */
export function wholeViews(thumbnail: RawImage, panes: Plane, gap: number): Plane {
  const near = boxBlur(panes, gap).values;
  const seen = new Uint8Array(near.length);
  const views = planeOf(panes, () => 0);
  for (let start = 0; start < near.length; start++) {
    const cluster = flood(panes, [start], (at) => (near[at] ?? 0) > 0, seen);
    const found = cluster.filter((at) => panes.values[at] === 1);
    if (found.length > 0) addView(thumbnail, found, views);
  }
  return views;
}

function addView(thumbnail: RawImage, found: readonly number[], views: Plane): void {
  const { width, pixels } = thumbnail;
  const points = found.map((at): Point => [at % width, Math.floor(at / width)]);
  const hull = new Uint8Array(views.values.length);
  fillHull(hull, thumbnail, points);
  const joined = join(thumbnail, found, hull, rowsAround(points, thumbnail));
  for (let at = 0; at < hull.length; at++)
    if (joined[at] === 1 || (hull[at] === 1 && isOutdoors(pixels, at))) views.values[at] = 1;
}

/** Trees, cars and clouds between the panes; not the frames, nor the wall between two windows. */
function isOutdoors(pixels: Uint8Array, at: number): boolean {
  const [red, green, blue] = colourAt(pixels, at);
  return Math.max(green, blue) > red + 4 || Math.min(red, green, blue) < FRAME.darkest;
}

function isFrame(pixels: Uint8Array, at: number): boolean {
  const [red, green, blue] = colourAt(pixels, at);
  return (
    red > green + FRAME.overGreen && red > blue + FRAME.overBlue && Math.min(red, green, blue) > FRAME.darkest
  );
}

interface Rows {
  from: number;
  to: number;
}

function rowsAround(points: readonly Point[], { height }: Size): Rows {
  const rows = points.map(([, y]) => y);
  const [top, bottom] = [rows.reduce((a, b) => Math.min(a, b)), rows.reduce((a, b) => Math.max(a, b))];
  const beyond = BEYOND * (bottom - top + 1);
  return { from: Math.max(0, top - beyond), to: Math.min(height - 1, bottom + beyond) };
}

/** What joins the panes without a step: anything within their hull, and what has a colour above and below it. */
function join(
  thumbnail: RawImage,
  found: readonly number[],
  hull: Uint8Array,
  { from, to }: Rows,
): Uint8Array {
  const luma = lumaOf(thumbnail).values;
  const joined = new Uint8Array(hull.length);
  const isColoured = (at: number) => {
    const [red, green, blue] = colourAt(thumbnail.pixels, at);
    const y = Math.floor(at / thumbnail.width);
    return (
      y >= from &&
      y <= to &&
      Math.max(green, blue) - Math.min(red, green, blue) > COLOUR &&
      Math.max(green, blue) > red
    );
  };
  const passes = (at: number, before: number) =>
    Math.abs((luma[at] ?? 0) - (luma[before] ?? 0)) < STEP &&
    (hull[at] === 1 || isColoured(at)) &&
    !isFrame(thumbnail.pixels, at);
  flood(thumbnail, found, passes, joined);
  return joined;
}
