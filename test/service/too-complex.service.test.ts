import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImageTasks } from '../../lib/generators/tasks.ts';
import { openImageTasks } from '../../worker/image-tasks.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
let service: Service;
let image_base64: string;
/** How many of the next tasks are killed. */
let doomed = 0;

/** Real processes; `doomed` of the next tasks get no time and are killed. */
function withKilledTasks(tasks: ImageTasks): ImageTasks {
  return {
    ...tasks,
    run(task, input, context) {
      if (doomed === 0) return tasks.run(task, input, context);
      doomed -= 1;
      return tasks.run(task, input, { ...context, limits: { ...context.limits, stallMs: 1, cpuMs: 0 } });
    },
  };
}

beforeAll(async () => {
  service = open.use(await startService());
  const imageTasks = withKilledTasks(open.use(await openImageTasks(service.config.worker)));
  open.use(await service.startWorker({ imageTasks }));
  image_base64 = await sampleImage();
});
afterAll(() => open.close());

async function jobWith(kills: number) {
  const client = await service.client();
  doomed = kills;
  const created = await postJob(service.app, client.headers, { tool: 'image-upscaling', image_base64 });
  const job = await ended(service.app, client.headers, created.json().job_id);
  const { balance, failures } = await service.stores.accounts.get(client.accountId);
  return { job, balance, failures: failures?.jobs };
}

describe('an image whose process is killed', () => {
  test('once is retried and completed', async () => {
    const { job, balance, failures } = await jobWith(1);
    expect(job).toMatchObject({ status: 'completed', error: null });
    expect([balance, failures]).toEqual([49, undefined]);
  });

  test('twice is failed and refunded, with an error that says that it is too complex', async () => {
    const { job, balance, failures } = await jobWith(9);
    expect(job).toMatchObject({ status: 'failed', result_urls: [] });
    expect(job.error).toContain('too complex');
    expect([balance, failures]).toEqual([50, 1]);
    expect(doomed).toBe(7);
    const history = await service.temporal.workflow.getHandle(`job:${job.job_id}`).fetchHistory();
    const failed = history.events?.find(
      ({ activityTaskFailedEventAttributes }) => activityTaskFailedEventAttributes,
    );
    const failure = failed?.activityTaskFailedEventAttributes?.failure?.applicationFailureInfo;
    expect(failure).toMatchObject({ type: 'image_process_ended', nonRetryable: true });
  });
});
