import { beforeAll, describe, expect, test } from 'vitest';
import { findEdges } from '../../../../lib/generators/preview/lines.ts';
import { thumbnailOf } from '../../../../lib/generators/preview/plane.ts';
import { findVerticals } from '../../../../lib/generators/preview/vertical.ts';
import { configureLibvips, openRaw, type RawImage, toRaw } from '../../../../lib/imaging/libvips.ts';
import { draw, editLocally, photo, psnr, tryEdit } from './images.ts';

beforeAll(configureLibvips);

const size = { width: 900, height: 640 };

/** A facade of windows, seen by a camera that is pitched and rolled. Drawn with 2 by 2 samples per pixel. */
async function facade(pitch: number, roll: number): Promise<RawImage> {
  const [sinP, cosP] = [Math.sin(radians(pitch)), Math.cos(radians(pitch))];
  const [sinR, cosR] = [Math.sin(radians(roll)), Math.cos(radians(roll))];
  const focal = 0.75 * 2 * size.width;
  const large = draw({ width: 2 * size.width, height: 2 * size.height }, (px, py) => {
    const [u, v] = [px - size.width, py - size.height];
    const [x, y] = [u * cosR + v * sinR, -u * sinR + v * cosR];
    // The ray, with the camera pitched up, meets the wall at a distance of 1.
    const depth = focal * cosP + y * sinP;
    const [wallX, wallY] = [x / depth, (y * cosP - focal * sinP) / depth];
    const inWindow = modulo(wallX, 0.18) < 0.1 && modulo(wallY, 0.2) < 0.12;
    return inWindow ? [60, 70, 85] : [205, 195, 180];
  });
  return toRaw(openRaw(large).resize({ ...size, kernel: 'cubic' }));
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const modulo = (value: number, by: number) => ((value % by) + by) % by;

/** The largest lean of the verticals, in degrees, at both sides of the image. */
async function leanOf(image: RawImage): Promise<number> {
  const thumbnail = await thumbnailOf(image, 640);
  const found = findVerticals(findEdges(thumbnail), thumbnail);
  if (found === undefined) throw new Error('There are no verticals.');
  const sides = [-1, 1].map((side) => Math.abs(found.lean + (found.pull * side * thumbnail.width) / 2));
  return (Math.atan(Math.max(...sides)) * 180) / Math.PI;
}

describe('perspective correction', () => {
  test.each([
    [8, 0],
    [-7, 1.5],
    [12, -2],
    [0, 3],
    [5, -4],
  ])('makes a facade upright that was taken with %d degrees of pitch and %d of roll', async (pitch, roll) => {
    const keystoned = await facade(pitch, roll);
    expect(await leanOf(keystoned)).toBeGreaterThan(2);
    expect(await leanOf(await editLocally('perspective-correction', keystoned))).toBeLessThan(0.5);
  });

  test('makes the house upright', async () => {
    const house = await photo('house', 1200);
    expect(await leanOf(house)).toBeGreaterThan(4);
    expect(await leanOf(await editLocally('perspective-correction', house))).toBeLessThan(0.5);
  });

  test('leaves upright photos alone', async () => {
    const upright = await facade(0, 0);
    expect(psnr(await editLocally('perspective-correction', upright), upright)).toBeGreaterThan(40);
  });

  test('levels the horizon alone', async () => {
    const rolled = await facade(0, 2.5);
    const levelled = await editLocally('perspective-correction', rolled, { perspectiveAxis: 'horizontal' });
    expect(await leanOf(levelled)).toBeLessThan(0.5);
  });

  test('keeps a level room level, whose floor and ceiling run into the depth', async () => {
    const levelled = await editLocally('perspective-correction', await photo('livingRoom', 1200), {
      perspectiveAxis: 'horizontal',
    });
    const thumbnail = await thumbnailOf(levelled, 640);
    expect(Math.abs(findVerticals(findEdges(thumbnail), thumbnail)?.lean ?? 1)).toBeLessThan(0.01);
  });

  test('shows nothing from outside of the photo', async () => {
    const frame = 12;
    const framed = await facade(8, 2);
    for (let y = 0; y < size.height; y++)
      for (let x = 0; x < size.width; x++)
        if (x < frame || y < frame || x >= size.width - frame || y >= size.height - frame)
          framed.pixels.set([255, 0, 255], (y * size.width + x) * 3);
    const { pixels } = await editLocally('perspective-correction', framed);
    // Where the edge were repeated, whole runs of a border row would be magenta.
    const magenta = (at: number) => (pixels[at] ?? 0) > 200 && (pixels[at + 1] ?? 0) < 60;
    const top = Array.from({ length: size.width }, (_, x) => magenta(x * 3 + 40 * size.width * 3)).filter(
      Boolean,
    );
    expect(top.length).toBeLessThan(size.width / 8);
  });

  test('declines a portrait', async () => {
    expect(await tryEdit('perspective-correction', await photo('portrait'))).toBeUndefined();
  });
});
