/** Renders one image in turns with raw sharp, and prints times and memory. */
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { LocalRequest } from '../../lib/generators/port.ts';
import { renderPreview } from '../../lib/generators/preview/preview.ts';
import { configureLibvips } from '../../lib/imaging/libvips.ts';
import { renderInstantly } from './instant.ts';
import { median } from './report.ts';

const ROUNDS = 7;

export interface RenderMeasurement {
  renderMs: number;
  rawMs: number;
  /** The peak of the process above its memory before the first image. */
  extraRssBytes: number;
}

async function main(file: string, tool: string): Promise<void> {
  configureLibvips();
  const image = await readFile(file);
  const request: LocalRequest = {
    image,
    tool,
    settings: {},
    target: { longestSide: 2048, neverSmaller: false },
    format: 'jpeg',
    watermark: null,
  };
  const render = () => (tool === 'instant' ? renderInstantly(request) : renderPreview(request));
  const raw = () => sharp(image).resize({ width: 2048 }).jpeg({ quality: 88 }).toBuffer();
  const before = process.memoryUsage.rss();
  await render();
  const extraRssBytes = (await peakRss()) - before;
  const times: { render: number[]; raw: number[] } = { render: [], raw: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.raw.push(await cpuMs(raw));
    times.render.push(await cpuMs(render));
  }
  const result: RenderMeasurement = {
    renderMs: median(times.render),
    rawMs: median(times.raw),
    extraRssBytes,
  };
  process.stdout.write(JSON.stringify(result));
}

/** Processor time, because other processes of the machine would distort the clock's. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Linux only. */
async function peakRss(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const [, , file = '', tool = ''] = process.argv;
await main(file, tool);
