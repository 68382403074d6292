import { beforeAll, expect, test, vi } from 'vitest';
import { assertPolled } from '../../dev/servers/assert-polled.ts';
import { openWorker } from '../../worker/open-worker.ts';
import { ownConfig } from '../setup/own-config.ts';
import { ownDatabase } from '../setup/own-database.ts';
import { logSdkTo } from '../setup/sdk-log.ts';

beforeAll(() => logSdkTo());

/** Runs a worker with WORKER_QUEUES until it polls one queue. @returns which queues are polled by then */
async function polledBy(WORKER_QUEUES: string, awaited: 'jobs' | 'webhooks'): Promise<string[]> {
  const config = ownConfig({ WORKER_QUEUES });
  await using _database = await ownDatabase(config.mongo);
  await using worker = await openWorker(config);
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  try {
    await vi.waitFor(() => assertPolled(config.temporal, awaited), 60_000);
    const queues = ['jobs', 'webhooks'] as const;
    const outcomes = await Promise.allSettled(queues.map((queue) => assertPolled(config.temporal, queue)));
    return queues.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  } finally {
    stop.abort();
    await running;
  }
}

test.each(['jobs', 'webhooks'] as const)('a worker can be given the queue %s alone', async (queue) => {
  expect(await polledBy(queue, queue)).toEqual([queue]);
});
