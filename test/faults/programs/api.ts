import { createTemporalGateway, type JobRequest } from '../../../api/jobs/gateway.ts';
import { openApi } from '../../../api/open-api.ts';
import { aborted } from '../../../lib/process/process.ts';
import { runService } from '../../../lib/process/run-main.ts';
import { openTemporal } from '../../../lib/process/temporal-client.ts';
import { taskQueues } from '../../../lib/protocol/task-queues.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';
import { PERMISSIVE } from '../../setup/permissive.ts';
import { skewClock } from './clock.ts';
import { reachAt, withFailpoints } from './reach.ts';

// Like api/main.ts, but without rate limits and with failpoints: `<call> before`, for the workflow or account.

const report = reachAt(process.argv[2] ?? '');
const clockSkewMs = Number(process.argv[4]);
if (clockSkewMs !== 0) skewClock(clockSkewMs);

await runService('api', async ({ config, logger, signal }) => {
  await using images = createImageStore(config.s3);
  await using temporal = openTemporal(config.temporal);
  const jobGateway = createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix));
  await using api = await openApi(config, {
    images: withFailpoints(images, 'images', ['putInput'], (point, [key]) =>
      report({ point, subject: String(key).split('/', 1)[0] ?? '' }),
    ),
    jobGateway: withFailpoints(jobGateway, 'gateway', ['accept'], (point, [request]) =>
      report({ point, subject: (request as JobRequest).draft.workflowId }),
    ),
    rateLimits: PERMISSIVE.rateLimits,
    logger,
  });
  await api.app.listen({ host: config.api.host, port: config.api.port });
  await aborted(signal);
});
