import type { RawImage } from '../../imaging/libvips.ts';
import { flood, type Mask, refine } from './masks.ts';
import { lumaOf, planeOf, thumbnailOf } from './plane.ts';

const SIDE = 360;
/** Of the image: less is a gap between roofs, more a photo without a subject. */
const SHARES = { least: 0.03, most: 0.85 };
/** Of the width: a sky covers at least so much of the upper edge, and at most so much of the lower one. */
const ALONG = { top: 0.25, bottom: 0.05 };
/** A larger step of luma between neighbours is an edge. */
const SMOOTH = 14;

/** The sky of an exterior photo; undefined when none is found. */
export async function findSky(image: RawImage): Promise<Mask | undefined> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const { width, height } = thumbnail;
  const luma = lumaOf(thumbnail).values;
  const likely = planeOf(thumbnail, (at) => Number(isSkyColour(thumbnail, at, height)));
  const top = Array.from({ length: width }, (_, x) => x);
  const reached = new Uint8Array(width * height);
  flood(
    thumbnail,
    top,
    (to, from) => likely.values[to] === 1 && Math.abs((luma[to] ?? 0) - (luma[from] ?? 0)) < SMOOTH,
    reached,
  );
  const along = top.filter((x) => reached[x] === 1).length / width;
  const share = reached.reduce((sum, value) => sum + value, 0) / reached.length;
  const bottom = reached.subarray(-width).reduce((sum, value) => sum + value, 0) / width;
  if (along < ALONG.top || bottom > ALONG.bottom || share < SHARES.least || share > SHARES.most)
    return undefined;
  return refine(
    image,
    thumbnail,
    planeOf(thumbnail, (at) => reached[at] ?? 0),
  );
}

/** Blue, or bright and nearly grey; lower in the image it has to be brighter. */
function isSkyColour({ pixels, width }: RawImage, index: number, height: number): boolean {
  const [red, green, blue] = [0, 1, 2].map((channel) => pixels[index * 3 + channel] ?? 0) as [
    number,
    number,
    number,
  ];
  const depth = Math.floor(index / width) / height;
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
  const isBlue = blue >= green && green >= red - 4 && blue > 90 && blue - red > 18;
  const isCloud = Math.min(red, green, blue) > 162 + 50 * depth && spread < 34 && blue >= red - 9;
  return isBlue || isCloud;
}
