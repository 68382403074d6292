// Compiled next to the output of @hey-api/openapi-ts: a function for each operation.
import { createJob, getJob, listJobs } from './sdk.gen.ts';

const image_url = 'https://photos.example.com/front.jpg';
const roof = { tool: 'roof-replacement', image_url } as const;

export async function run(): Promise<string[]> {
  const headers = { 'Idempotency-Key': 'listing-4711-photo-3' };
  const { data, error } = await createJob({
    headers,
    body: { ...roof, options: { material: 'slate' } },
  });
  if (error !== undefined) throw new Error(`${error.error.code}: ${error.error.message}`);
  if (data === undefined || !('job_id' in data)) return [];
  const job = await getJob({ path: { id: data.job_id } });
  return job.data?.result_urls ?? [];
}
export const price = () => createJob({ body: { tool: 'declutter', image_url }, query: { dry_run: 'true' } });
export const failed = () => listJobs({ query: { status: 'failed', limit: 100 } });

// @ts-expect-error The request has a body.
export const noBody = () => createJob({});
// @ts-expect-error An image is needed.
export const noImage = () => createJob({ body: { tool: 'declutter' } });
// @ts-expect-error There is no such tool.
export const wrongTool = () => createJob({ body: { tool: 'roof-remove', image_url } });
// @ts-expect-error No roof is made of straw.
export const wrongValue = () => createJob({ body: { ...roof, options: { material: 'straw' } } });
// @ts-expect-error The id of a job is needed.
export const noId = () => getJob({});
