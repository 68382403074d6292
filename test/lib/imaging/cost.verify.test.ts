import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPENSIVE, HONEST } from '../../../dev/bench/hostile/hostile-images.ts';
import type { Settings } from '../../../lib/generators/preview/operation.ts';
import { estimateRender, type RenderTarget, taskLimits } from '../../../lib/imaging/cost.ts';
import { inspectImage } from '../../../lib/imaging/inspect.ts';
import { FONT_ENVIRONMENT } from '../../../lib/imaging/lettering.ts';
import { openRaw } from '../../../lib/imaging/libvips.ts';

import { draw } from '../generators/preview/images.ts';

const MB = 1_000_000;
const enhanced: RenderTarget = { longestSide: 2048, neverSmaller: false, format: 'jpeg' };
const cropped: RenderTarget = { ...enhanced, cropped: true };
/** The largest result of an operation. */
const large: RenderTarget = { longestSide: 4096, neverSmaller: false, format: 'jpeg' };
const upscaled: RenderTarget = { longestSide: 4096, neverSmaller: true, format: 'jpeg' };

/** Each render runs in a process of its own, whose peak Linux reports. */
describe.runIf(process.platform === 'linux')('a real render stays below its estimate and its limits', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imaging-cost-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function expectWithinLimits(
    bytes: Buffer,
    target: RenderTarget,
    tool: string,
    settings: Settings = {},
  ): Promise<void> {
    const inspection = inspectImage(bytes);
    if (!inspection.ok) throw new Error(inspection.reason);
    const estimate = estimateRender(inspection, target);
    const limits = taskLimits(estimate.megapixels);
    const file = join(folder, 'image');
    await writeFile(file, bytes);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--import',
        'tsx',
        join(import.meta.dirname, 'render-once.ts'),
        file,
        JSON.stringify(target),
        tool,
        JSON.stringify(settings),
      ],
      { env: { ...FONT_ENVIRONMENT, MALLOC_ARENA_MAX: '2' } },
    );
    const { peakBytes, cpuSeconds } = JSON.parse(stdout) as { peakBytes: number; cpuSeconds: number };
    expect(peakBytes).toBeGreaterThan(50 * MB);
    expect(peakBytes).toBeLessThan(estimate.bytes);
    expect(estimate.bytes).toBeLessThan(limits.rssBytes);
    expect(cpuSeconds * 1000).toBeLessThan(limits.cpuMs);
  }

  const images = { ...EXPENSIVE, ...HONEST };
  test.each([
    ['WebP of 100 megapixels in 28 bytes', enhanced],
    ['WebP of 100 megapixels in 28 bytes', cropped],
    ['interlaced PNG of 100 megapixels, four channels of 8 bits', cropped],
    ['JPEG of 12 megapixels', cropped],
    ['interlaced PNG of 100 megapixels, four channels of 8 bits', enhanced],
    ['PNG of 100 megapixels, four channels of 16 bits', upscaled],
    ['PNG of 16384x8 pixels', upscaled],
    ['PNG with 800 MB of text in 100 KB', enhanced],
    ['JPEG of 12 megapixels', enhanced],
    ['JPEG of 12 megapixels', upscaled],
  ] as const)('for %s', async (name, target) => {
    const bytes = (await images[name]?.()) ?? Buffer.alloc(0);
    await expectWithinLimits(bytes, target, 'image-enhancement');
  });

  const OPERATIONS = [
    'image-enhancement',
    'hdr-enhancement',
    'color-correction',
    'lighting-adjustment',
    'noise-reduction',
    'perspective-correction',
    'aerial-photo-editing',
    'declutter',
  ];
  test.each(OPERATIONS)('for %s of the largest square that is edited', async (tool) => {
    await expectWithinLimits(await leaningBars(4096, 4096), large, tool);
  });

  test.each(OPERATIONS)('for %s of 16,384 by 64 pixels', async (tool) => {
    await expectWithinLimits(await leaningBars(16_384, 64), large, tool);
  });

  test.each(['noise-reduction', 'image-upscaling'])('for %s of 16,384 by 6,100 pixels', async (tool) => {
    const target = tool === 'image-upscaling' ? upscaled : large;
    await expectWithinLimits(await leaningBars(16_384, 6100), target, tool);
  });

  test.each([
    ['sky-replacement', { skyType: 'dramatic-clouds' }],
    ['lawn-enhancement', {}],
    ['seasonal-changes', { season: 'winter' }],
    ['day-to-dusk-exterior', { season: 'winter' }],
  ])('for %s of a house of 12 megapixels', async (tool, settings) => {
    await expectWithinLimits(await photoOf12Megapixels('house.jpg'), large, tool, settings);
  });

  test('for day-to-dusk of a room of 12 megapixels', async () => {
    await expectWithinLimits(await photoOf12Megapixels('living-room.jpg'), large, 'day-to-dusk');
  });
});

const photoOf12Megapixels = (name: string) =>
  sharp(fileURLToPath(new URL(`../../../dev/gallery/photos/${name}`, import.meta.url)))
    .resize({ width: 4096 })
    .jpeg({ quality: 90 })
    .toBuffer();

const drawn = new Map<string, Promise<Buffer>>();

function leaningBars(width: number, height: number): Promise<Buffer> {
  const key = `${width}x${height}`;
  const image = drawn.get(key) ?? drawLeaningBars(width, height);
  drawn.set(key, image);
  return image;
}

/** Noise on bars that lean, so that there is work for every operation. */
async function drawLeaningBars(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 12 };
  const tile = await sharp({
    create: { width: 512, height: Math.min(512, height), channels: 3, background: 'gray', noise },
  })
    .png()
    .toBuffer();
  const bars = draw({ width: 256, height: 64 }, (x, y) =>
    (x + 0.08 * y) % 32 < 16 ? [60, 60, 70] : [200, 180, 160],
  );
  return openRaw(bars)
    .resize({ width, height, fit: 'fill' })
    .composite([{ input: tile, tile: true, blend: 'overlay' }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
