import { runService } from '../runtime/run-main.ts';
import { openWorker } from './open-worker.ts';
import { installRuntime } from './temporal-logger.ts';

await runService('worker', async ({ config, logger, signal }) => {
  installRuntime(logger);
  await using worker = await openWorker(config, { logger });
  logger.info('The worker is ready.');
  await worker.run(signal);
  logger.info('The worker has stopped.');
});
