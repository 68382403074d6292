import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../lib/process/config/config.ts';
import { listenProblem } from '../lib/process/listen-problem.ts';
import { aborted } from '../lib/process/process.ts';
import { runService } from '../lib/process/run-main.ts';
import type { TypedApp } from './http/operation.ts';
import { openApi } from './open-api.ts';

async function listen(app: TypedApp, { host, port }: Config['api']): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(listenProblem(code, { host, port }), { cause });
  }
}

await runService('api', async ({ config, logger, signal }) => {
  await using api = await openApi(config, { logger });
  await listen(api.app, config.api);
  await aborted(signal);
  logger.info('The API is stopping.');
  api.deps.readiness.drain();
  // Load balancers need this time to notice.
  await delay(config.drainMs);
});
