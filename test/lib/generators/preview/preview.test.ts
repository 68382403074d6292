import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../../lib/catalog/registry.ts';
import type { LocalRequest } from '../../../../lib/generators/port.ts';
import { captionOf } from '../../../../lib/generators/preview/caption.ts';
import { OPERATIONS } from '../../../../lib/generators/preview/operations.ts';
import { renderPreview } from '../../../../lib/generators/preview/preview.ts';
import { ImageError } from '../../../../lib/imaging/errors.ts';
import { configureLibvips, type RawImage, toRaw } from '../../../../lib/imaging/libvips.ts';

const width = 300;
const height = 200;
let room: Buffer;

beforeAll(async () => {
  configureLibvips();
  const photo = await readFile(new URL('../../../../docs/sample-room.jpg', import.meta.url));
  room = await sharp(photo).resize({ width, height }).png().toBuffer();
});

const request = (overrides: Partial<LocalRequest> = {}): LocalRequest => ({
  tool: 'virtual-staging',
  settings: {},
  image: room,
  target: { longestSide: 600, neverSmaller: false },
  format: 'png',
  watermark: null,
  ...overrides,
});

async function pixelsOf(overrides: Partial<LocalRequest>): Promise<RawImage> {
  const { bytes } = await renderPreview(request(overrides));
  return toRaw(sharp(bytes));
}

const enlarged = async () => toRaw(sharp(room).resize({ width: 600, height: 400 }));
/** The rows of a caption at 600 by 400 pixels. */
const bottomOf = ({ pixels }: RawImage) => pixels.subarray(-600 * 38 * 3);

it('performs the tools that the catalogue says need no model', () => {
  const classical = [...TOOLS.values()].filter((tool) => tool.classical).map(({ slug }) => slug);
  expect([...OPERATIONS.keys()].toSorted()).toEqual(classical.toSorted());
});

describe('the preview generator', () => {
  it.each([...OPERATIONS.keys(), 'pool-addition', 'a tool of tomorrow'])(
    'renders %s at the target size',
    async (tool) => {
      const rendered = await pixelsOf({ tool });
      expect(rendered).toMatchObject({ width: 600, height: 400 });
      expect(rendered.pixels).toHaveLength(600 * 400 * 3);
    },
  );

  it.each([
    [1, 1],
    [3, 700],
    [700, 3],
  ])('renders every tool from %d by %d pixels', async (width, height) => {
    const image = await sharp({ create: { width, height, channels: 3, background: '#5a8040' } })
      .png()
      .toBuffer();
    for (const tool of OPERATIONS.keys()) await pixelsOf({ tool, image });
  });

  it('adds a caption when the tool needs a model, and none when it edited the image', async () => {
    const original = bottomOf(await enlarged());
    const darkerShare = (rows: Buffer) =>
      rows.filter((level, index) => level < (original[index] ?? 0) - 20).length / rows.length;
    const captioned = (settings = {}) => pixelsOf({ tool: 'virtual-staging', settings }).then(bottomOf);
    expect(darkerShare(await captioned())).toBeGreaterThan(0.9);
    expect(darkerShare(bottomOf(await pixelsOf({ tool: 'image-upscaling' })))).toBeLessThan(0.05);
    expect(await captioned({ style: 'modern' })).not.toEqual(await captioned({ style: 'coastal' }));
  });

  it('adds a caption when the image has nothing for the tool to work on', async () => {
    const edited = await pixelsOf({ tool: 'seasonal-changes' });
    expect(edited).toEqual(await pixelsOf({ tool: 'seasonal-changes', settings: {} }));
    const top = (image: RawImage) => image.pixels.subarray(0, 600 * 300 * 3);
    expect(top(edited)).toEqual(top(await enlarged()));
    expect(bottomOf(edited)).not.toEqual(bottomOf(await enlarged()));
  });

  it('draws no watermark over the caption', async () => {
    const marked = await pixelsOf({ watermark: 'Image Job API' });
    const plain = await pixelsOf({});
    expect(bottomOf(marked)).toEqual(bottomOf(plain));
    expect(marked.pixels).not.toEqual(plain.pixels);
  });

  it('does not edit an input that is already as large as an upscale would make it', async () => {
    const target = { longestSide: 256, neverSmaller: true };
    expect(await pixelsOf({ tool: 'image-upscaling', target })).toEqual(await toRaw(sharp(room)));
  });

  it('refuses bytes that are not an image, and a truncated image', async () => {
    await expect(renderPreview(request({ image: Buffer.from('hello') }))).rejects.toThrow(ImageError);
    await expect(renderPreview(request({ image: room.subarray(0, 4000) }))).rejects.toThrow(ImageError);
  });
});

describe('a caption', () => {
  it('names the tool and its main options, and says that no model is configured', () => {
    const settings = {
      style: 'mid-century-modern',
      roomType: 'living-room',
      decor: 'true',
      hasExisting: 'false',
    };
    expect(captionOf('virtual-staging', settings)).toEqual({
      title: 'Preview of Virtual staging: style mid century modern, room type living room, decor.',
      note: 'No model is configured.',
    });
    expect(captionOf('floor-plan-to-3d', {}).title).toBe('Preview of Floor plan to 3D.');
  });

  it('shortens free text and long lists', () => {
    const settings = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, 'Ab '.repeat(160)]));
    expect(captionOf('declutter', settings).title.length).toBeLessThan(320);
  });
});
