/** Renders one image, as an image process does, and prints the peak memory of this process in bytes. */
import { readFile } from 'node:fs/promises';
import { renderPreview } from '../../generators/preview/preview.ts';
import type { RenderTarget } from '../../imaging/cost.ts';
import { configureLibvips } from '../../imaging/libvips.ts';

const [, , file = '', json = ''] = process.argv;
const { format, ...target } = JSON.parse(json) as RenderTarget;
configureLibvips();
const image = await readFile(file);
await renderPreview({
  image,
  tool: 'image-enhancement',
  settings: {},
  target,
  format,
  watermark: 'Image Job API',
});
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1];
process.stdout.write(String(Number(peak) * 1024));
