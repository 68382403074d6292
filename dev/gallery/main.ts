import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { planRender } from '../../lib/catalog/catalog.ts';
import { TOOLS } from '../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../lib/catalog/tool-spec.ts';
import { renderPreview } from '../../lib/generators/preview/preview.ts';
import { configureLibvips } from '../../lib/imaging/libvips.ts';
import { drawContactSheet } from './contact-sheet.ts';
import { type Entry, galleryPage } from './page.ts';
import { type Photo, readPhoto, SAMPLE_PHOTOS } from './photos.ts';

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

const options = Object.fromEntries(values.option.map((option) => option.split('=', 2)));
const folder = values.out;

function settingsOf(tool: ToolSpec): Record<string, string> {
  const required = tool.ownKeysOnly ? { style: 'modern' } : {};
  const planned = planRender(tool, { ...required, ...options });
  if (!planned.ok) throw new Error(`${tool.slug}: ${planned.message}`);
  return planned.plan.settings;
}

async function render(tool: ToolSpec, photo: Photo): Promise<Entry> {
  const start = performance.now();
  const { bytes } = await renderPreview({
    image: photo.bytes,
    tool: tool.slug,
    settings: settingsOf(tool),
    target: { longestSide: Number(values.side), neverSmaller: tool.upscales ?? false },
    format: 'jpeg',
    watermark: values.watermark ? 'Image Job API' : null,
  });
  const ms = Math.round(performance.now() - start);
  const after = `${photo.name}-${tool.slug}.jpeg`;
  await writeFile(join(folder, after), bytes);
  return { tool: tool.slug, title: tool.title, photo: photo.name, before: `${photo.name}.jpeg`, after, ms };
}

/** `npm run gallery -- [--tools a,b] [--megapixels 0.3,2,12] [--option key=value] [--side 1280] [photo ...]` */
async function main(): Promise<void> {
  configureLibvips();
  await mkdir(folder, { recursive: true });
  const tools = [...TOOLS.values()].filter(({ slug }) => values.tools?.split(',').includes(slug) ?? true);
  const sizes = values.megapixels?.split(',').map(Number) ?? [undefined];
  const files = positionals.length > 0 ? positionals : SAMPLE_PHOTOS;
  const photos = await Promise.all(
    files.flatMap((file) => sizes.map((megapixels) => readPhoto(file, megapixels))),
  );
  for (const { name, bytes } of photos) await writeFile(join(folder, `${name}.jpeg`), bytes);
  const entries: Entry[] = [];
  for (const tool of tools) for (const photo of photos) entries.push(await render(tool, photo));
  await writeFile(join(folder, 'index.html'), galleryPage(entries));
  await writeFile(join(folder, 'contact-sheet.jpeg'), await drawContactSheet(folder, entries));
  process.stdout.write(`${entries.length} images: ${join(folder, 'index.html')}\n`);
}

await main();
