import { deliveryIdOf, JOB_DELETED } from '../stores/delivery.ts';
import type { DeliveryEnd, Stores } from '../stores/ports.ts';
import type { DeliveryRecord, JobRecord } from '../stores/records.ts';
import { eventType } from './webhook-event.ts';

/** A delivery that is to be made, as the workflow that sees to it knows it. */
export interface WebhookNotice {
  deliveryId: string;
  round: string;
  accountId: string;
  /** Null for a test event. */
  jobId: string | null;
  target: DeliveryRecord['target'];
  /** Origin of the receiver's URL; what may follow it can be a secret. */
  receiver: string;
  /** Whether an operator asked for it: then it also goes to an endpoint that was disabled. */
  insist: boolean;
}

const FIRST_ROUND = 'first';

/**
 * Notes the webhook of a job that ended, for the job's own URL or the account's endpoint. Safe to repeat.
 * @returns null when there is nobody to tell
 */
export async function planWebhook(stores: Stores, job: JobRecord): Promise<WebhookNotice | null> {
  if (job.status !== 'completed' && job.status !== 'failed') return null;
  const target = job.webhookUrl === null ? 'account' : 'job';
  const url = job.webhookUrl ?? (await endpointInUse(stores, job.accountId));
  if (url === null) return null;
  const { id: jobId, accountId } = job;
  const planned = { id: deliveryIdOf(jobId), accountId, jobId, type: eventType(job), target, url } as const;
  const delivery = await stores.deliveries.plan({ ...planned, round: FIRST_ROUND });
  // The job was deleted since it was read.
  return delivery.reason === JOB_DELETED ? null : notice(delivery, url, false);
}

export function createWebhookNotices({ stores }: { stores: Stores }) {
  return {
    /** Makes a delivery pending again. Safe to repeat. Fails for good when there is nothing or nobody to tell. */
    async reopenDelivery(deliveryId: string, round: string): Promise<WebhookNotice> {
      const delivery = await stores.deliveries.reopen(deliveryId, round);
      const { webhook } = await stores.accounts.get(delivery.accountId);
      const url = delivery.target === 'account' ? (webhook.url ?? delivery.url) : delivery.url;
      return notice(delivery, url ?? '', true);
    },

    /** Notes a test event for the account's endpoint. Safe to repeat. */
    async openTestDelivery(deliveryId: string, accountId: string): Promise<WebhookNotice> {
      const { url } = (await stores.accounts.get(accountId)).webhook;
      const planned = {
        id: deliveryId,
        accountId,
        jobId: null,
        type: 'test.ping',
        target: 'account',
      } as const;
      const delivery = await stores.deliveries.plan({ ...planned, url, round: FIRST_ROUND });
      return notice(delivery, url ?? '', true);
    },

    /** Ends a delivery without a further attempt. Safe to repeat. */
    closeDelivery: (deliveryId: string, round: string, end: DeliveryEnd): Promise<void> =>
      stores.deliveries.close(deliveryId, round, end),
  };
}

/** What a workflow has to know of a delivery that it takes up from another. */
export const noticeOf = (delivery: DeliveryRecord): WebhookNotice =>
  notice(delivery, delivery.url ?? '', delivery.jobId === null);

async function endpointInUse(stores: Stores, accountId: string): Promise<string | null> {
  const { webhook } = await stores.accounts.get(accountId);
  return webhook.disabledReason === null ? webhook.url : null;
}

function notice(delivery: DeliveryRecord, url: string, insist: boolean): WebhookNotice {
  const { id: deliveryId, round, accountId, jobId, target } = delivery;
  const receiver = URL.canParse(url) ? new URL(url).origin : '';
  return { deliveryId, round, accountId, jobId, target, receiver, insist };
}
