import { join } from 'node:path';
import type { ImageTaskSettings, ImageTasks } from '../lib/generators/tasks.ts';
import { openImagePool } from '../lib/imaging/processes/pool.ts';
import type { Config } from '../lib/process/config/config.ts';

const fromSources = import.meta.filename.endsWith('.ts');

/** Starts the child processes for image work, from the sources or the build. */
export function openImageTasks(config: Config['worker']): Promise<ImageTasks> {
  const { imageProcesses, renderMemoryBytes, watermarkText } = config;
  const settings: ImageTaskSettings = { watermarkText };
  return openImagePool({
    entry: {
      file: join(import.meta.dirname, `image-process.${fromSources ? 'ts' : 'js'}`),
      args: [JSON.stringify(settings)],
      execArgv: fromSources ? ['--import', 'tsx'] : [],
      cwd: join(import.meta.dirname, '..'),
    },
    processes: imageProcesses,
    memoryBytes: renderMemoryBytes,
  });
}
