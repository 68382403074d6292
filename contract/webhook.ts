import { type Static, Type } from 'typebox';
import { Job, JobId } from './schemas.ts';

/** Body of a webhook (Standard Webhooks: type, timestamp, data), with `job_id` on top as the contract asks. */
export const WebhookEvent = Type.Object(
  {
    type: Type.Enum(['job.completed', 'job.failed']),
    timestamp: Type.String({ format: 'date-time', description: 'When the job ended.' }),
    job_id: JobId,
    data: Job,
  },
  { title: 'WebhookEvent' },
);
export type WebhookEvent = Static<typeof WebhookEvent>;
