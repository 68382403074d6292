import { expect, test } from 'vitest';
import { startFakeApi } from '../contract/fake-api.ts';
import { sampleJpeg } from '../setup/images.ts';
import { recordMetrics } from '../setup/metrics.ts';
import { draftOf } from '../setup/records.ts';

const image = await sampleJpeg();

test('a scrape says how many requests wait for jobs, whose time is not measured', async () => {
  const { metrics, values } = recordMetrics();
  await using api = await startFakeApi(image, { metrics });
  const { app, accountId, headers, stores } = api;
  const draft = draftOf({ accountId, keyId: 'k' });
  await stores.jobs.accept(draft);
  const url = `/api/v1/jobs/${draft.jobId}`;
  const waiting = [
    app.inject({ url, headers: { ...headers, prefer: 'wait=60' } }),
    app.inject({ url: `${url}/events`, headers }),
  ];
  await expect
    .poll(() => values('imagejob_waiting_for_jobs'))
    .toEqual({ '{kind="prefer"}': 1, '{kind="events"}': 1 });
  await stores.jobs.complete(draft.jobId, { results: [], processingMs: 1 });
  for (const { statusCode } of await Promise.all(waiting)) expect(statusCode).toBe(200);
  await app.inject({ url, headers });
  await expect
    .poll(() => values('imagejob_waiting_for_jobs'))
    .toEqual({ '{kind="prefer"}': 0, '{kind="events"}': 0 });
  expect(await values('imagejob_http_requests_total')).toEqual({
    '{method="GET",route="/api/v1/jobs/:id",status="200"}': 2,
    '{method="GET",route="/api/v1/jobs/:id/events",status="200"}': 1,
  });
  expect(await values('imagejob_http_request_seconds_count')).toEqual({ '{route="/api/v1/jobs/:id"}': 1 });
});
