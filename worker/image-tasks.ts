import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { ImageTasks } from '../generators/tasks.ts';
import { openImagePool } from '../imaging/processes/pool.ts';

const fromSources = import.meta.filename.endsWith('.ts');

/** Starts the child processes for image work, from the sources or the build. */
export function openImageTasks({ imageProcesses, renderMemoryBytes }: Config['worker']): Promise<ImageTasks> {
  return openImagePool({
    entry: {
      file: join(import.meta.dirname, `image-process.${fromSources ? 'ts' : 'js'}`),
      execArgv: fromSources ? ['--import', 'tsx'] : [],
      cwd: join(import.meta.dirname, '..'),
    },
    processes: imageProcesses || Math.max(1, availableParallelism() - 1),
    memoryBytes: renderMemoryBytes,
  });
}
