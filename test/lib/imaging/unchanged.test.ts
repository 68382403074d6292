import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readGalleryPhoto, SAMPLE_PHOTOS } from '../../../dev/gallery/photos.ts';
import { contrast, edgeRecall, largestDifference, toGrey } from '../../../lib/imaging/compare.ts';
import { prepareInput } from '../../../lib/imaging/prepare.ts';
import { finishUpstream } from '../../../lib/imaging/upstream-result.ts';
import { copyOf } from './rooms.ts';

type Change = (image: Buffer) => Promise<Buffer>;

const sizeOf = async (image: Buffer) => {
  const { width, height } = await sharp(image).metadata();
  return { width, height };
};
const jpeg =
  (quality: number, chromaSubsampling = '4:2:0'): Change =>
  (image) =>
    sharp(image).jpeg({ quality, chromaSubsampling }).toBuffer();
const sharpened: Change = (image) => sharp(image).sharpen({ sigma: 1 }).png().toBuffer();

/** Right and down by a part of a pixel. */
const moved: Change = async (image) => {
  const size = await sizeOf(image);
  const [top, left] = [4, 4];
  const framed = await sharp(image)
    .extend({ top, left, bottom: 4, right: 4, extendWith: 'copy' })
    .png()
    .toBuffer();
  const shifted = await sharp(framed)
    .affine([1, 0, 0, 1], { odx: 0.5, ody: 0.5, interpolator: 'bicubic' })
    .png()
    .toBuffer();
  return sharp(shifted)
    .extract({ top, left, ...size })
    .png()
    .toBuffer();
};
const resized =
  (factor: number): Change =>
  async (image) => {
    const { width } = await sizeOf(image);
    return jpeg(85)(
      await sharp(image)
        .resize(Math.round(factor * width))
        .png()
        .toBuffer(),
    );
  };
const allAtOnce: Change = async (image) => jpeg(75)(await sharpened(await moved(image)));

/** A part of the photo, with the place it has there. */
async function part(image: Buffer, [x, y, side]: readonly [x: number, y: number, side: number]) {
  const { width, height } = await sizeOf(image);
  const [left, top] = [Math.round(x * width), Math.round(y * height)];
  const length = Math.round(side * Math.min(width, height));
  const pixels = await sharp(image).extract({ left, top, width: length, height: length }).raw().toBuffer();
  return { left, top, length, pixels };
}

/**
 * Paints a square: `to` gets a value, its channel (0 to 2) and the mean of all, and returns the new
 * value.
 */
const painted =
  (
    place: readonly [x: number, y: number, side: number],
    to: (value: number, channel: number, mean: number) => number,
  ): Change =>
  async (image) => {
    const { left, top, length, pixels } = await part(image, place);
    const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
    const values = pixels.map((value, i) => Math.min(255, Math.max(0, to(value, i % 3, mean))));
    const raw = { width: length, height: length, channels: 3 as const };
    const input = await sharp(values, { raw }).png().toBuffer();
    const whole = sharp(image).composite([{ input, left, top }]);
    return jpeg(90)(await whole.png().toBuffer());
  };
/** A wall that is bluer by this much, at the same brightness. */
const bluer = (by: number, side = 0.3) =>
  painted([0.1, 0.1, side], (value, channel) => value + ([-by, 0.315 * by, by][channel] ?? 0));
/** A lamp or a picture that is gone: a patch in one shade in its place. */
const gone = painted([0.3, 0.35, 0.045], (_, __, mean) => (mean < 128 ? mean + 60 : mean - 60));

const PHOTOS = SAMPLE_PHOTOS.flatMap((file) => [0.15, 0.7].map((megapixels) => [file, megapixels] as const));
const photo = async (file: string, megapixels: number) => (await readGalleryPhoto(file, megapixels)).bytes;

/** The problem that is found when a tool which must change its input gets this back for it. */
async function problemWith(input: Buffer, change: Change) {
  const { bytes, inputSize, reference, ...sent } = await prepareInput(input);
  const finished = await finishUpstream(await change(bytes), {
    format: 'jpeg',
    longestSide: 256,
    neverSmaller: false,
    watermark: null,
    inputSize,
    sent,
    reference,
    checks: { mustChange: true, minEdgeRecall: null },
  });
  return finished.ok ? undefined : finished.problem;
}

describe.each(PHOTOS)('a photo (%s, %d megapixels) is called unchanged', (file, megapixels) => {
  it('when it was encoded anew, moved by half a pixel, sharpened or made smaller', async () => {
    const input = await photo(file, megapixels);
    const changes = [jpeg(95), jpeg(85), jpeg(75), moved, sharpened, allAtOnce, resized(0.7)];
    const problems: unknown[] = [];
    for (const change of changes) problems.push(await problemWith(input, change));
    expect(problems).toEqual(changes.map(() => 'unchanged'));
  });

  it('but not when a wall has another colour of the same brightness, however pale, or a thing is gone', async () => {
    const input = await photo(file, megapixels);
    const changes = [bluer(25), bluer(-25), bluer(8), gone];
    const problems: unknown[] = [];
    for (const change of changes) problems.push(await problemWith(input, change));
    expect(problems).toEqual(changes.map(() => undefined));
  });
});

/** Left, top, width and height in pixels. */
type Bar = readonly [left: number, top: number, width: number, height: number];

const withBars =
  (background: string, bars: readonly Bar[]): Change =>
  async (image) => {
    const layers = bars.map(([left, top, width, height]) => ({
      input: { create: { width, height, channels: 3 as const, background } },
      left,
      top,
    }));
    return jpeg(92)(await sharp(image).composite(layers).png().toBuffer());
  };
const times = (count: number, bar: (n: number) => Bar) => Array.from({ length: count }, (_, n) => bar(n));

/** What is thin, in a photo that is 2048 pixels wide. */
const THIN: readonly [what: string, change: Change][] = [
  [
    'power lines of 4 pixels',
    withBars('#222222', [
      [0, 130, 2048, 4],
      [0, 170, 2048, 4],
    ]),
  ],
  [
    'a fence with bars of 4 pixels',
    withBars(
      '#111111',
      times(60, (n) => [34 * n, 950, 4, 260]),
    ),
  ],
  [
    'tile joints of 3 pixels',
    withBars('#999999', [
      ...times(20, (n): Bar => [512 + 51 * n, 270, 3, 400]),
      ...times(16, (n): Bar => [512, 270 + 26 * n, 1024, 3]),
    ]),
  ],
  [
    'an outline of 4 pixels',
    withBars('#ff0000', [
      [300, 300, 1400, 4],
      [300, 300, 4, 800],
    ]),
  ],
  [
    'small print',
    withBars(
      '#ffffff',
      times(30, (n) => [1300 + 12 * n, 1250, 3, 18]),
    ),
  ],
];

describe.each(SAMPLE_PHOTOS.slice(1, 3))('a photo of 2048 pixels (%s) is not called unchanged', (file) => {
  it.each(THIN)('when %s are added or taken away', async (_, change) => {
    const without = await sharp(await photo(file, 1))
      .resize(2048, 1365, { fit: 'cover' })
      .jpeg()
      .toBuffer();
    const drawn = await change(without);
    const taken = await problemWith(drawn, async () => without);
    expect([await problemWith(without, change), taken]).toEqual([undefined, undefined]);
  });
});

it.each(SAMPLE_PHOTOS)('a photo that is returned at half its size is called unchanged: %s', async (file) => {
  expect(await problemWith(await photo(file, 0.7), resized(0.5))).toBe('unchanged');
});

describe('a photo that was moved by half a pixel and sharpened', () => {
  it.each(PHOTOS)('keeps all of its edges: %s, %d megapixels', async (file, megapixels) => {
    const input = await photo(file, megapixels);
    const recall = edgeRecall(toGrey(await copyOf(input)), toGrey(await copyOf(await allAtOnce(input))));
    expect(recall).toBeGreaterThan(0.98);
  });
});

it('a wall that is bluer at the same brightness looks the same in grey, and differs in colour', async () => {
  const wall = await sharp({ create: { width: 96, height: 96, channels: 3, background: '#e8dcc8' } })
    .png()
    .toBuffer();
  const [before, after] = await Promise.all([copyOf(wall), bluer(20, 0.5)(wall).then(copyOf)]);
  expect(contrast(toGrey(after))).toBeLessThan(1.5);
  expect(largestDifference(before, after)).toBeGreaterThan(15);
});
