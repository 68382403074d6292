import type { TestEvent, WebhookEvent } from '../../lib/contract/webhook.ts';
import { eventTypeOf } from '../../lib/domain/delivery.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { DeliveryRecord, JobRecord } from '../../lib/domain/records.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';

/** The body of a delivery: the same bytes for every attempt. The job must have ended and must not be deleted. */
export function eventBody(
  delivery: DeliveryRecord,
  job: JobRecord | undefined,
  images: Pick<ImageStore, 'resultUrl'>,
): string {
  const event = job === undefined ? testEvent(delivery) : jobEvent(job, images);
  return JSON.stringify(event);
}

function jobEvent(job: JobRecord, images: Pick<ImageStore, 'resultUrl'>): WebhookEvent {
  const data = presentJob(job, images);
  const timestamp = data.completed_at ?? data.created_at;
  return { type: eventTypeOf(job.status), timestamp, job_id: data.job_id, data };
}

const testEvent = ({ accountId, createdAt }: DeliveryRecord): TestEvent => ({
  type: 'test.ping',
  timestamp: createdAt.toISOString(),
  data: { account_id: accountId },
});
