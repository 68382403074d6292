import { runService } from '../runtime/run-main.ts';
import { openWorker } from './open-worker.ts';
import { installMeteredRuntime } from './sdk-metrics.ts';

await runService('worker', async ({ config, logger, signal }) => {
  await using runtime = await installMeteredRuntime(config.probes, logger);
  await using worker = await openWorker(config, { logger, sdkMetrics: runtime.sdkMetrics });
  logger.info('The worker is ready.');
  await worker.run(signal);
  logger.info('The worker has stopped.');
});
