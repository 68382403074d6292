import { join } from 'node:path';
import type { ImageTaskSettings, ImageTasks } from '../../lib/generators/tasks.ts';
import { openImagePool } from '../../lib/imaging/processes/pool.ts';
import { runService, type ServiceContext } from '../../lib/process/run-main.ts';
import { installMeteredRuntime } from '../../lib/telemetry/sdk-metrics.ts';
import { openRenderer } from '../../worker/open-renderer.ts';

/** A renderer like worker/renderer.ts. Its image processes run instant-process.ts. */
async function runInstantRenderer({ config, logger, signal }: ServiceContext): Promise<void> {
  await using _runtime = await installMeteredRuntime(config.probes, logger);
  const { imageProcesses: processes, renderMemoryBytes: memoryBytes, watermarkText } = config.worker;
  const settings: ImageTaskSettings = { watermarkText };
  const entry = {
    file: join(import.meta.dirname, 'instant-process.ts'),
    args: [JSON.stringify(settings)],
    execArgv: ['--import', 'tsx'],
    cwd: join(import.meta.dirname, '..', '..'),
  };
  await using imageTasks: ImageTasks = await openImagePool({ entry, processes, memoryBytes });
  await using renderer = await openRenderer(config, { logger, imageTasks });
  await renderer.run(signal);
}

await runService('renderer', runInstantRenderer, ({ worker }) => worker.renderGraceMs);
