import { type Static, Type } from 'typebox';
import { Job, JobId } from './schemas.ts';

/**
 * Body of a webhook: Standard Webhooks (type, timestamp, data) with the `job_id` that the contract
 * requires.
 */
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

/** Body of the event that tests an account's endpoint. It belongs to no job. */
export const TestEvent = Type.Object(
  {
    type: Type.Literal('test.ping'),
    timestamp: Type.String({ format: 'date-time', description: 'When the test was requested.' }),
    data: Type.Object({ account_id: Type.String({ format: 'uuid' }) }),
  },
  { title: 'TestEvent' },
);
export type TestEvent = Static<typeof TestEvent>;

export type EventType = WebhookEvent['type'] | TestEvent['type'];
