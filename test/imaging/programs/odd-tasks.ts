import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../../../config.ts';
import { ImageError } from '../../../imaging/errors.ts';
import { serveTasks } from '../../../imaging/processes/serve.ts';

/** What a picture may do to the process that works on it. */
export const oddTasks = {
  reverse: async ({ bytes }: { bytes: Buffer }) => Buffer.from(bytes).reverse(),
  environment: async () => Object.keys(environment('')),
  pid: async () => process.pid,
  refuse: async () => {
    throw new ImageError('The image is damaged.', { cause: new Error('VipsJpeg: premature end') });
  },
  stumble: async () => {
    throw new TypeError('a defect of ours');
  },
  spin: async () => {
    for (;;);
  },
  hang: () => new Promise<never>(() => {}),
  hoard: async () => {
    for (const kept: Buffer[] = []; ; ) {
      kept.push(Buffer.alloc(16 * 2 ** 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  crash: async () => process.abort(),
  /** Ends once both have come to the folder, so only if two are at work at the same time. */
  meet: async ({ folder }: { folder: string }) => {
    writeFileSync(join(folder, String(process.pid)), '');
    while (readdirSync(folder).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    return true;
  },
  /** From when to when it was at work, by the clock all processes share. */
  span: async () => {
    const from = performance.timeOrigin + performance.now();
    await new Promise((resolve) => setTimeout(resolve, 250));
    return { from, to: performance.timeOrigin + performance.now() };
  },
};

serveTasks(oddTasks);
