import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Entry } from './page.ts';

const CELL = { width: 360, height: 260 };
const PAIRS_ACROSS = 2;

/** Draws all images before and after as one JPEG. */
export async function drawContactSheet(folder: string, entries: readonly Entry[]): Promise<Buffer> {
  const files = entries.flatMap(({ before, after }) => [before, after]);
  const across = PAIRS_ACROSS * 2;
  const cells = await Promise.all(
    files.map(async (file, index) => ({
      input: await sharp(await readFile(join(folder, file)))
        .resize({ ...CELL, fit: 'contain', background: '#333333' })
        .png()
        .toBuffer(),
      left: (index % across) * CELL.width,
      top: Math.floor(index / across) * CELL.height,
    })),
  );
  const size = { width: across * CELL.width, height: Math.ceil(files.length / across) * CELL.height };
  return sharp({ create: { ...size, channels: 3, background: '#333333' } })
    .composite(cells)
    .jpeg({ quality: 85 })
    .toBuffer();
}
