import { type Static, Type } from 'typebox';
import { Job, JobId } from './schemas.ts';

/** Body of a webhook (Standard Webhooks: type, timestamp, data), with `job_id` on top as the contract asks. */
export const WebhookEvent = Type.Object(
  {
    type: Type.Enum(['job.completed', 'job.failed'], { type: 'string' }),
    timestamp: Type.String({ format: 'date-time', description: 'When the job ended.' }),
    job_id: JobId,
    data: Job,
  },
  { title: 'WebhookEvent' },
);
export type WebhookEvent = Static<typeof WebhookEvent>;

/** Body of the event an operator sends to try an account's endpoint; it belongs to no job. */
export const TestEvent = Type.Object(
  {
    type: Type.Literal('test.ping'),
    timestamp: Type.String({ format: 'date-time', description: 'When the test was asked for.' }),
    data: Type.Object({ account_id: Type.String({ format: 'uuid' }) }),
  },
  { title: 'TestEvent' },
);
export type TestEvent = Static<typeof TestEvent>;

export type EventType = WebhookEvent['type'] | TestEvent['type'];
