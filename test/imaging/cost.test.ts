import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPENSIVE, HONEST } from '../../dev/bench/hostile/hostile-images.ts';
import { estimateRender, type RenderTarget } from '../../imaging/cost.ts';
import { type InspectedImage, inspectImage } from '../../imaging/inspect.ts';
import { FONT_ENVIRONMENT } from '../../imaging/lettering.ts';

const MB = 1_000_000;
const enhanced: RenderTarget = { longestSide: 2048, neverSmaller: false, format: 'jpeg' };
const upscaled: RenderTarget = { longestSide: 4096, neverSmaller: true, format: 'jpeg' };

const image = (overrides: Partial<InspectedImage> = {}): InspectedImage => ({
  format: 'jpeg',
  width: 4000,
  height: 3000,
  channels: 3,
  bitDepth: 8,
  interlaced: false,
  turned: false,
  frames: 1,
  heldBytes: 0,
  ...overrides,
});
const bytesOf = (overrides: Partial<InspectedImage>, target = upscaled) =>
  estimateRender(image(overrides), target).bytes;
const huge = { width: 10_000, height: 10_000 };

describe('an estimate', () => {
  it('counts the megapixels of the input', () => {
    expect(estimateRender(image(), enhanced).megapixels).toBe(12);
    expect(estimateRender(image(huge), enhanced).megapixels).toBe(100);
  });

  it('is several times smaller for an ordinary image than for the most expensive one', () => {
    expect(bytesOf({}, enhanced)).toBeLessThan(260 * MB);
    expect(bytesOf({ ...huge, heldBytes: 600 * MB, interlaced: true })).toBeGreaterThan(750 * MB);
  });

  it('is smaller for formats that can be scaled down while decoding', () => {
    const webp = { ...huge, format: 'webp' as const };
    expect(bytesOf(webp, enhanced)).toBeLessThan(bytesOf(webp) / 3);
    expect(bytesOf(huge, enhanced)).toBeLessThan(
      bytesOf({ ...huge, interlaced: true, heldBytes: 300 * MB }, enhanced),
    );
  });

  it('is larger for an image to be rotated, and for an encoder that holds the whole image', () => {
    expect(bytesOf({ ...huge, turned: true })).toBeGreaterThan(bytesOf(huge) + 300 * MB);
    expect(bytesOf(huge, { ...upscaled, format: 'webp' })).toBeGreaterThan(bytesOf(huge) + 300 * MB);
  });

  it('is a safe integer above the size of an empty process for any image within the limits', () => {
    const side = fc.integer({ min: 1, max: 16_384 });
    fc.assert(
      fc.property(side, side, fc.constantFrom('jpeg', 'png', 'webp'), (width, height, format) => {
        for (const target of [enhanced, { ...upscaled, format }]) {
          const { bytes } = estimateRender(image({ width, height, format }), target);
          expect(Number.isSafeInteger(bytes)).toBe(true);
          expect(bytes).toBeGreaterThan(100 * MB);
        }
      }),
    );
  });
});

/** Each render runs in a process of its own, whose peak Linux reports. */
describe.runIf(process.platform === 'linux')('the peak of a real render stays below its estimate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imaging-cost-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const images = { ...EXPENSIVE, ...HONEST };
  it.each([
    ['WebP of 100 megapixels in 28 bytes', enhanced],
    ['interlaced PNG of 100 megapixels, four channels of 8 bits', enhanced],
    ['PNG of 100 megapixels, four channels of 16 bits', upscaled],
    ['PNG of 16384x8 pixels', upscaled],
    ['PNG with 800 MB of text in 100 KB', enhanced],
    ['JPEG of 12 megapixels', enhanced],
    ['JPEG of 12 megapixels', upscaled],
  ] as const)('%s', async (name, target) => {
    const bytes = (await images[name]?.()) ?? Buffer.alloc(0);
    const inspection = inspectImage(bytes);
    if (!inspection.ok) throw new Error(inspection.reason);
    const file = join(folder, 'image');
    await writeFile(file, bytes);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'render-once.ts'), file, JSON.stringify(target)],
      { env: { ...FONT_ENVIRONMENT, MALLOC_ARENA_MAX: '2' } },
    );
    expect(Number(stdout)).toBeGreaterThan(50 * MB);
    expect(Number(stdout)).toBeLessThan(estimateRender(inspection, target).bytes);
  });
});
