import { runService } from '../runtime/run-main.ts';
import { openRenderer } from './open-renderer.ts';
import { installMeteredRuntime } from './sdk-metrics.ts';

await runService('renderer', async ({ config, logger, signal }) => {
  await using runtime = await installMeteredRuntime(config.probes, logger);
  await using renderer = await openRenderer(config, { logger, sdkMetrics: runtime.sdkMetrics });
  logger.info({ generators: config.generators.used }, 'The renderer is ready.');
  await renderer.run(signal);
  logger.info('The renderer has stopped.');
});
