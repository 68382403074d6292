import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TOOLS } from '../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../lib/catalog/tool-spec.ts';
import { configureLibvips } from '../../lib/imaging/libvips.ts';
import { type GalleryPhoto, readGalleryPhoto, renderPhoto, SAMPLE_PHOTOS } from './photos.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tools: { type: 'string' },
    megapixels: { type: 'string' },
    option: { type: 'string', multiple: true, default: [] },
    side: { type: 'string', default: '1280' },
    watermark: { type: 'boolean', default: false },
    out: { type: 'string', default: join(tmpdir(), 'image-job-api-gallery') },
  },
});

const folder = values.out;
const options = Object.fromEntries(values.option.map((option) => option.split('=', 2)));

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gallery of the preview generator</title>
<style>
  body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; background: #f6f6f4; color: #222 }
  section { display: grid; grid-template-columns: repeat(auto-fill, minmax(34rem, 1fr)); gap: 1rem }
  figure { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 4px }
  figcaption { grid-column: 1 / 3; color: #666 }
  img { width: 100% }
</style>
<h1>Gallery of the preview generator</h1>
`;

/** Renders the photo by the tool. @returns the two of them side by side, as HTML */
async function figure(tool: ToolSpec, { name, bytes }: GalleryPhoto): Promise<string> {
  const required = tool.ownKeysOnly ? { style: 'modern' } : {};
  const start = performance.now();
  const result = await renderPhoto(tool, bytes, {
    options: { ...required, ...options },
    longestSide: Number(values.side),
    watermark: values.watermark ? 'Image Job API' : null,
  });
  const ms = Math.round(performance.now() - start);
  const after = `${name}-${tool.slug}.jpeg`;
  await writeFile(join(folder, after), result);
  const image = (file: string, when: string) => `<img loading="lazy" src="${file}" alt="${name}, ${when}">`;
  const caption = `<figcaption>${name}, ${ms} ms</figcaption>`;
  return `<figure>${image(`${name}.jpeg`, 'before')}${image(after, 'after')}${caption}</figure>`;
}

/**
 * `npm run gallery -- [--tools a,b] [--megapixels 0.3,2,12] [--option key=value] [--side 1280]
 * [photo ...]`
 */
async function main(): Promise<void> {
  configureLibvips();
  await mkdir(folder, { recursive: true });
  const tools = [...TOOLS.values()].filter(({ slug }) => values.tools?.split(',').includes(slug) ?? true);
  const sizes = values.megapixels?.split(',').map(Number) ?? [undefined];
  const files = positionals.length > 0 ? positionals : SAMPLE_PHOTOS;
  const photos = await Promise.all(
    files.flatMap((file) => sizes.map((megapixels) => readGalleryPhoto(file, megapixels))),
  );
  for (const { name, bytes } of photos) await writeFile(join(folder, `${name}.jpeg`), bytes);
  let page = HEAD;
  for (const tool of tools) {
    page += `<h2 id="${tool.slug}">${tool.title}</h2>\n<section>\n`;
    for (const photo of photos) page += `${await figure(tool, photo)}\n`;
    page += '</section>\n';
  }
  await writeFile(join(folder, 'index.html'), `${page}</html>\n`);
  process.stdout.write(`${tools.length * photos.length} images: ${join(folder, 'index.html')}\n`);
}

await main();
