/** A process that renders one picture, as a renderer's child does, and prints the most memory it had, in bytes. */
import { readFile } from 'node:fs/promises';
import { createPreviewGenerator } from '../../generators/preview/preview.ts';
import type { RenderTarget } from '../../imaging/cost.ts';
import { finishResult } from '../../imaging/finish.ts';
import { configureLibvips } from '../../imaging/libvips.ts';
import { passInput } from '../../imaging/prepare.ts';

const [, , file = '', json = ''] = process.argv;
const target = JSON.parse(json) as RenderTarget;
configureLibvips();
const input = await passInput(await readFile(file));
const rendered = await createPreviewGenerator().render({
  tool: 'image-enhancement',
  settings: {},
  instruction: 'Improve this picture.',
  image: input.bytes,
  mime: input.mime,
  width: input.width,
  height: input.height,
  target,
  signal: new AbortController().signal,
  onSubmitted: () => {},
});
const { inputSize } = input;
await finishResult('mime' in rendered ? rendered.bytes : rendered, { ...target, inputSize, watermark: true });
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1];
process.stdout.write(String(Number(peak) * 1024));
