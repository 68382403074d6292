import { timed } from '../load.ts';
import { createBenchClient } from '../requests.ts';
import type { BystanderSample, BystanderStart } from './watch-bystander.ts';

// Posts a small job and reads it, again and again, in a process of its own so that nothing else
// delays it. The first message says where and as whom; then `true` starts it and `false` ends it.

const send = (sample: BystanderSample) => process.send?.(sample);

process.once('message', ({ origin, callers, body }: BystanderStart) => {
  const client = createBenchClient(origin, callers, 1);
  let watching = false;
  let turn = 0;

  async function call(method: 'GET' | 'POST', path: string, n: number): Promise<string | undefined> {
    let response: Awaited<ReturnType<typeof client.request>> | undefined;
    const options = { method, path, ...(method === 'POST' && { body }) };
    const ms = await timed(async () => {
      response = await client.request(options, n);
    });
    send({ method, ms, status: response?.status ?? 0 });
    return response?.body.job_id;
  }

  process.on('message', async (order: boolean) => {
    watching = order;
    if (!order) return;
    while (watching) {
      const n = turn++;
      const jobId = await call('POST', '/api/v1/jobs', n);
      if (jobId !== undefined) await call('GET', `/api/v1/jobs/${jobId}`, n);
    }
    process.send?.('idle');
  });
});
