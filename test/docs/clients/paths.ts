// Compiled next to the output of openapi-typescript: what clients such as openapi-fetch look up by path and method.
import type { CreateJob, Error as ErrorBody, operations, paths } from './types.gen.ts';

type Create = paths['/v1/jobs']['post'];
type Body = NonNullable<Create['requestBody']>['content']['application/json'];

export const body: Body = {
  tool: 'pool',
  image_url: 'https://a.example.com/1.jpg',
  options: { poolShape: 'lap' },
};
export const same: CreateJob = body;
export const dryRun: Create['parameters']['query'] = { dry_run: 'true' };
export const key: Create['parameters']['header'] = { 'Idempotency-Key': 'listing-4711-photo-3' };
export const filter: operations['listJobs']['parameters']['query'] = { limit: 100, status: 'failed' };
export const path: operations['getJob']['parameters']['path'] = {
  id: '7c6c4f0e-2f0b-4c43-9d0a-6f0a3c8e51b7',
};
export const message = (refusal: Create['responses'][402]['content']['application/json']) =>
  (refusal satisfies ErrorBody).error.message;
export const created = (job: Create['responses'][201]['content']['application/json']) => job.job_id;

// @ts-expect-error The request has a body.
export const noBody: Body = undefined;
// @ts-expect-error dry_run is true or false.
export const wrongDryRun: Create['parameters']['query'] = { dry_run: 'yes' };
// @ts-expect-error No job has this status.
export const wrongFilter: operations['listJobs']['parameters']['query'] = { status: 'done' };
