import { runService } from '../lib/process/run-main.ts';
import { installMeteredRuntime } from '../lib/telemetry/sdk-metrics.ts';
import { openWorker } from './open-worker.ts';

await runService('worker', async ({ config, logger, signal }) => {
  await using runtime = await installMeteredRuntime(config.probes, logger);
  await using worker = await openWorker(config, { logger, sdkMetrics: runtime.sdkMetrics });
  logger.info('The worker is ready.');
  await worker.run(signal);
  logger.info('The worker has stopped.');
});
