import { aborted } from '../runtime/process.ts';
import { runService } from '../runtime/run-main.ts';
import { openApi } from './open-api.ts';

await runService('api', async ({ config, logger, signal }) => {
  await using api = await openApi(config, { logger });
  await api.app.listen({ host: config.api.host, port: config.api.port });
  await aborted(signal);
  logger.info('The API is stopping.');
});
