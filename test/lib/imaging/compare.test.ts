import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { contrast, edgeRecall, type GreyImage, largestDifference } from '../../../lib/imaging/compare.ts';
import { copyOf, drawRoom, greyOf, zoom } from './rooms.ts';

let rooms: Record<'empty' | 'furnished' | 'otherWindow', Buffer>;
let grey: GreyImage;

beforeAll(async () => {
  rooms = {
    empty: await drawRoom(),
    furnished: await drawRoom({ furnished: true }),
    otherWindow: await drawRoom({ furnished: true, windowMoved: 0.03 }),
  };
  grey = await greyOf(rooms.empty);
});

const flat = (background: string) =>
  sharp({ create: { width: 1200, height: 800, channels: 3, background } })
    .png()
    .toBuffer();
/** The empty room with a patch of wall over something. */
const withPatch = async (left: number, top: number, side: number, background: string) => {
  const patch = { create: { width: side, height: side, channels: 3 as const, background } };
  return sharp(rooms.empty)
    .composite([{ input: await sharp(patch).png().toBuffer(), left, top }])
    .png()
    .toBuffer();
};

describe('the share of edges that are kept', () => {
  const recall = async (image: Buffer) => edgeRecall(grey, await greyOf(image));

  test.each([
    ['encoded anew', () => sharp(rooms.empty).jpeg({ quality: 60 }).toBuffer(), 0.99, 1],
    ['returned smaller', () => sharp(rooms.empty).resize(768).jpeg().toBuffer(), 0.99, 1],
    ['made brighter', () => sharp(rooms.empty).modulate({ brightness: 1.15 }).jpeg().toBuffer(), 0.9, 1],
    ['furnished', () => rooms.furnished, 0.85, 0.97],
    ['furnished, with its window moved by 3 %', () => rooms.otherWindow, 0.7, 0.85],
    ['seen from 10 % nearer', () => zoom(rooms.empty, 1.1), 0.5, 0.8],
    ['mirrored', () => sharp(rooms.empty).flop().png().toBuffer(), 0.4, 0.75],
    ['black', () => flat('#000000'), 0, 0],
  ])('of a room that is %s', async (_, make, least, most) => {
    const share = await recall(await make());
    expect(share).toBeGreaterThanOrEqual(least);
    expect(share).toBeLessThanOrEqual(most);
  });

  test('is 1 where the input has no edges', async () => {
    const wall = await greyOf(await flat('#777777'));
    expect(edgeRecall(wall, grey)).toBe(1);
  });

  test('looks at edges only that the input has', async () => {
    const furnished = await greyOf(rooms.furnished);
    expect(edgeRecall(grey, furnished)).toBeGreaterThan(edgeRecall(furnished, grey));
  });
});

describe('the largest difference', () => {
  const difference = async (image: Buffer) =>
    largestDifference(await copyOf(rooms.empty), await copyOf(image));

  test('is none from itself', async () => expect(await difference(rooms.empty)).toBe(0));

  test.each([
    ['JPEG of quality 50', () => sharp(rooms.empty).jpeg({ quality: 50 }).toBuffer()],
    ['WebP', () => sharp(rooms.empty).webp({ quality: 60 }).toBuffer()],
    ['a smaller image', () => sharp(rooms.empty).resize(768).jpeg().toBuffer()],
    ['a larger image', () => sharp(rooms.empty).resize(3000).jpeg().toBuffer()],
  ])('is small when the same room is encoded as %s', async (_, make) => {
    expect(await difference(await make())).toBeLessThan(2.5);
  });

  test.each([
    ['a lamp is taken off the ceiling', () => withPatch(483, 63, 34, '#f4f2ee')],
    ['a handle on the door is changed', () => withPatch(790, 385, 30, '#101010')],
    ['it is furnished', () => rooms.furnished],
    ['the light is 3 % brighter', () => sharp(rooms.empty).modulate({ brightness: 1.03 }).png().toBuffer()],
  ])('is large when %s', async (_, make) => {
    expect(await difference(await make())).toBeGreaterThan(2.5);
  });
});

describe('contrast', () => {
  test.each([
    ['black', '#000000'],
    ['grey', '#808080'],
    ['white', '#ffffff'],
  ])('is 0 for an image that is %s', async (_, background) => {
    expect(contrast(await greyOf(await flat(background)))).toBe(0);
  });

  test('is high for a room, and the highest for black and white', async () => {
    expect(contrast(grey)).toBeGreaterThan(20);
    expect(contrast({ width: 2, height: 1, pixels: Uint8Array.of(0, 255) })).toBe(127.5);
  });
});
