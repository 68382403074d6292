import { runService } from '../runtime/run-main.ts';
import { openRenderer } from './open-renderer.ts';
import { installRuntime } from './temporal-logger.ts';

await runService('renderer', async ({ config, logger, signal }) => {
  installRuntime(logger);
  await using renderer = await openRenderer(config);
  logger.info({ generators: config.generators.used }, 'The renderer is ready.');
  await renderer.run(signal);
  logger.info('The renderer has stopped.');
});
