/**
 * Renders one image, or crops it as the result of an upstream, and prints this process's peak
 * memory and processor time.
 */
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Settings } from '../../../lib/generators/preview/operation.ts';
import { renderPreview } from '../../../lib/generators/preview/preview.ts';
import type { RenderTarget } from '../../../lib/imaging/cost.ts';
import { configureLibvips } from '../../../lib/imaging/libvips.ts';
import { prepareInput } from '../../../lib/imaging/prepare.ts';
import { finishUpstream } from '../../../lib/imaging/upstream-result.ts';

const [, , file = '', json = '', tool = '', settings = '{}'] = process.argv;
const { format, cropped = false, ...target } = JSON.parse(json) as RenderTarget;
const common = { format, watermark: 'Image Job API' };
configureLibvips();
const image = await readFile(file);
const before = process.cpuUsage();
if (cropped) await cropResult();
else await renderPreview({ image, tool, settings: JSON.parse(settings) as Settings, target, ...common });
const { user, system } = process.cpuUsage(before);
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1];
process.stdout.write(JSON.stringify({ peakBytes: Number(peak) * 1024, cpuSeconds: (user + system) / 1e6 }));

async function cropResult(): Promise<void> {
  const input = await sharp({ create: { width: 212, height: 200, channels: 3, background: '#808080' } })
    .png()
    .toBuffer();
  const { bytes: _, ...sent } = await prepareInput(input);
  const checks = { mustChange: false, minEdgeRecall: null };
  await finishUpstream(image, { ...common, ...target, ...sent, sent, checks });
}
