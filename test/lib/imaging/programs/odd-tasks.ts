import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImageError } from '../../../../lib/imaging/errors.ts';
import { serveTasks } from '../../../../lib/imaging/processes/serve.ts';
import { environment } from '../../../../lib/process/config/config.ts';

/** What a hostile image could make a task do. */
export const oddTasks = {
  reverse: async ({ bytes }: { bytes: Buffer }) => Buffer.from(bytes).reverse(),
  environment: async () => Object.keys(environment()),
  pid: async () => process.pid,
  refuse: async () => {
    throw new ImageError('The image is damaged.', { cause: new Error('VipsJpeg: premature end') });
  },
  throwBug: async () => {
    throw new TypeError('a bug in a task');
  },
  spin: async () => {
    for (;;);
  },
  hang: () => new Promise<never>(() => {}),
  hoard: async () => {
    for (const buffers: Buffer[] = []; ; ) {
      buffers.push(Buffer.alloc(16 * 2 ** 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  crash: async () => process.abort(),
  /** Ends only when two processes run it at the same time. */
  meet: async ({ folder }: { folder: string }) => {
    writeFileSync(join(folder, String(process.pid)), '');
    while (readdirSync(folder).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    return true;
  },
  /** Start and end time, on the clock that all processes share. */
  span: async () => {
    const from = performance.timeOrigin + performance.now();
    await new Promise((resolve) => setTimeout(resolve, 250));
    return { from, to: performance.timeOrigin + performance.now() };
  },
};

serveTasks(oddTasks);
