import { runService, type ServiceContext } from '../lib/process/run-main.ts';
import { installMeteredRuntime } from '../lib/telemetry/sdk-metrics.ts';
import { openRenderer } from './open-renderer.ts';

async function runRenderer({ config, logger, signal }: ServiceContext): Promise<void> {
  await using runtime = await installMeteredRuntime(config.probes, logger);
  await using renderer = await openRenderer(config, { logger, sdkMetrics: runtime.sdkMetrics });
  logger.info({ generators: config.generators.used }, 'The renderer is ready.');
  await renderer.run(signal);
  logger.info('The renderer has stopped.');
}

await runService('renderer', runRenderer, ({ worker }) => worker.renderGraceMs);
