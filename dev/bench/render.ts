import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { FONT_ENVIRONMENT } from '../../lib/imaging/lettering.ts';
import type { RenderMeasurement } from './render-process.ts';
import type { Row } from './report.ts';

const SIZES = [
  { name: '12 MP', width: 4000, height: 3000 },
  { name: '100 MP', width: 11_500, height: 8690 },
] as const;
/** Speed compared with raw sharp that decodes, resizes and encodes. */
const RESIZE_ONLY = 0.85;
const ENHANCEMENT = 1 / 3;
const EXTRA_RSS_MB = 350;

/** Compares renders by the built-in generator with raw sharp, in processes of their own. */
export async function benchRender(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
  try {
    const rows: Row[] = [];
    for (const { name, ...size } of SIZES) {
      const file = join(folder, 'image.jpeg');
      await writeFile(file, await photoOf(size));
      rows.push(...rowsOf(`resize only, ${name}`, await measure(file, 'instant'), RESIZE_ONLY));
      rows.push(...rowsOf(`caption, ${name}`, await measure(file, 'declutter')));
      const goal = name === '12 MP' ? ENHANCEMENT : undefined;
      rows.push(...rowsOf(`image-enhancement, ${name}`, await measure(file, 'image-enhancement'), goal));
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Shapes with noise, about as large a file as a photo of this size. */
async function photoOf({ width, height }: { width: number; height: number }): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 20 };
  const small = { width: Math.round(width / 4), height: Math.round(height / 4) };
  const texture = await sharp({ create: { ...small, channels: 3, background: 'gray', noise } })
    .png()
    .toBuffer();
  return sharp(texture).resize({ width, height, kernel: 'cubic' }).jpeg({ quality: 90 }).toBuffer();
}

async function measure(file: string, tool: string): Promise<RenderMeasurement> {
  const program = join(import.meta.dirname, 'render-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program, file, tool], {
    env: { ...FONT_ENVIRONMENT, MALLOC_ARENA_MAX: '2' },
  });
  return JSON.parse(stdout) as RenderMeasurement;
}

function rowsOf(what: string, { renderMs, rawMs, extraRssBytes }: RenderMeasurement, speed?: number): Row[] {
  return [
    {
      what: `${what}: speed`,
      value: 1000 / renderMs,
      unit: 'images/CPU s',
      baseline: 1000 / rawMs,
      ratio: rawMs / renderMs,
      ...(speed === undefined ? {} : { goal: { atLeast: speed } }),
    },
    {
      what: `${what}: memory`,
      value: extraRssBytes / 1e6,
      unit: 'MB above idle',
      goal: { atMost: EXTRA_RSS_MB },
    },
  ];
}
