import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import sharp from 'sharp';
import { planRender } from '../../lib/catalog/catalog.ts';
import type { ToolSpec } from '../../lib/catalog/tool-spec.ts';
import { renderPreview } from '../../lib/generators/preview/preview.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PHOTOS = join(import.meta.dirname, 'photos');

/** The photos of the project; `photos/README.md` has their origins. */
export const SAMPLE_PHOTOS: readonly string[] = [
  join(ROOT, 'docs', 'sample-room.jpg'),
  join(PHOTOS, 'living-room.jpg'),
  join(PHOTOS, 'house.jpg'),
  join(PHOTOS, 'portrait.jpg'),
  join(PHOTOS, 'floor-plan.png'),
];

export interface GalleryPhoto {
  name: string;
  bytes: Buffer;
}

/** Reads a photo as a JPEG, resized to this many megapixels if given. */
export async function readGalleryPhoto(file: string, megapixels?: number): Promise<GalleryPhoto> {
  const name = basename(file, extname(file));
  const original = await readFile(file);
  const { width, height } = await sharp(original).metadata();
  const scale = megapixels === undefined ? 1 : Math.sqrt((megapixels * 1e6) / (width * height));
  const bytes = await sharp(original)
    .flatten({ background: '#ffffff' })
    .resize({ width: Math.round(width * scale) })
    .jpeg({ quality: 92 })
    .toBuffer();
  return { name: megapixels === undefined ? name : `${name}-${megapixels}mp`, bytes };
}

interface Rendering {
  options: Readonly<Record<string, string>>;
  longestSide: number;
  watermark?: string | null;
}

/**
 * The photo as the built-in generator returns it for the tool.
 * @throws Error when the options are not the tool's
 */
export async function renderPhoto(
  tool: ToolSpec,
  image: Buffer,
  { options, longestSide, watermark = null }: Rendering,
): Promise<Buffer> {
  const planned = planRender(tool, options);
  if (!planned.ok) throw new Error(`${tool.slug}: ${planned.message}`);
  const target = { longestSide, neverSmaller: tool.upscales ?? false };
  const { settings } = planned.plan;
  const { bytes } = await renderPreview({
    image,
    tool: tool.slug,
    settings,
    target,
    format: 'jpeg',
    watermark,
  });
  return bytes;
}
