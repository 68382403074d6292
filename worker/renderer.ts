import { runService, type ServiceContext } from '../runtime/run-main.ts';
import { openRenderer } from './open-renderer.ts';
import { installMeteredRuntime } from './sdk-metrics.ts';

async function runRenderer({ config, logger, signal }: ServiceContext): Promise<void> {
  await using runtime = await installMeteredRuntime(config.probes, logger);
  await using renderer = await openRenderer(config, { logger, sdkMetrics: runtime.sdkMetrics });
  logger.info({ generators: config.generators.used }, 'The renderer is ready.');
  await renderer.run(signal);
  logger.info('The renderer has stopped.');
}

await runService('renderer', runRenderer, ({ worker }) => worker.renderGraceMs);
