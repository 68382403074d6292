import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { SAMPLE_SIZE, sampleFiles, TOOL_SAMPLES } from '../../api/docs/tool-samples.ts';
import { TOOLS } from '../../lib/catalog/registry.ts';
import { configureLibvips } from '../../lib/imaging/libvips.ts';
import { renderPhoto } from './photos.ts';

// Renders the samples of the tools page: `npx tsx dev/gallery/tool-samples.ts`

const PHOTOS = join(import.meta.dirname, 'photos');
const ASSETS = join(import.meta.dirname, '..', '..', 'api', 'docs', 'assets');
const WIDTH = 1280;
const RATIO = SAMPLE_SIZE.width / SAMPLE_SIZE.height;

type Photo = (house: Sharp, room: Sharp) => Sharp | Promise<Sharp>;

/** The photos before: the two of the gallery, some with a fault for a tool to correct. */
const BEFORE: Readonly<Record<string, Photo>> = {
  house: (house) => house,
  'living-room': (_house, room) => room,
  'dark-room': (_house, room) => room.linear(0.45, 0),
  'yellow-room': (_house, room) => room.linear([1.08, 0.98, 0.62], [0, 0, 0]),
  'noisy-room': (_house, room) => room.composite([{ input: noise(), blend: 'overlay' }]),
  // In two steps: sharp extracts before it transforms.
  'tilted-house': async (house) =>
    sharp(await house.affine([1, 0.035, -0.035, 1]).png().toBuffer()).extract({
      left: 40,
      top: 50,
      width: WIDTH - 80,
      height: Math.round((WIDTH - 80) / RATIO),
    }),
  'small-house': (house) => house.resize({ width: 200 }),
  'hazy-house': (house) => house.linear(0.55, 95),
};

const noise = () => ({
  create: {
    width: WIDTH,
    height: Math.round(WIDTH / RATIO),
    channels: 3 as const,
    background: '#808080',
    noise: { type: 'gaussian' as const, mean: 128, sigma: 42 },
  },
});

async function photos(): Promise<ReadonlyMap<string, Buffer>> {
  const [house, room] = await Promise.all(
    ['house.jpg', 'living-room.jpg'].map(async (name) =>
      sharp(await readFile(join(PHOTOS, name)))
        .resize({ width: WIDTH, height: Math.round(WIDTH / RATIO) })
        .png()
        .toBuffer(),
    ),
  );
  const jpeg = async (photo: Photo) =>
    (await photo(sharp(house), sharp(room))).removeAlpha().jpeg({ quality: 92 }).toBuffer();
  return new Map(
    await Promise.all(
      Object.entries(BEFORE).map(
        async ([name, photo]): Promise<[string, Buffer]> => [name, await jpeg(photo)],
      ),
    ),
  );
}

async function save(image: Buffer, name: string): Promise<void> {
  await sharp(image).resize(SAMPLE_SIZE).jpeg({ quality: 72, mozjpeg: true }).toFile(join(ASSETS, name));
}

async function main(): Promise<void> {
  configureLibvips();
  await mkdir(join(ASSETS, 'samples'), { recursive: true });
  const before = await photos();
  for (const [slug, sample] of Object.entries(TOOL_SAMPLES)) {
    const [tool, image] = [TOOLS.get(slug), before.get(sample.photo)];
    if (tool === undefined || image === undefined) throw new Error(`No ${slug} or no ${sample.photo}.`);
    const bytes = await renderPhoto(tool, image, { options: sample.options, longestSide: WIDTH });
    const files = sampleFiles(slug, sample);
    await Promise.all([save(image, files.before), save(bytes, files.after)]);
  }
}

await main();
