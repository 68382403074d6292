import { FIRST_CYCLE, newTestDelivery } from '../../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import type { DeliveryEnd } from '../../lib/stores/delivery-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';

export function createDeliveryActivities({ stores }: { stores: Stores }) {
  return {
    /**
     * Makes a delivery pending again, unless it is in another cycle than `after`; attempts then
     * send nothing. Idempotent.
     * @throws NotFound when the delivery or its account does not exist
     */
    async reopenDelivery(deliveryId: string, cycle: string, after?: string): Promise<PendingDelivery> {
      const delivery = await stores.deliveries.reopen(deliveryId, cycle, after);
      const { webhook } = await stores.accounts.get(delivery.accountId);
      const url = delivery.target === 'account' ? (webhook.url ?? delivery.url) : delivery.url;
      return pending({ ...delivery, cycle }, url ?? '', true);
    },

    /** Stores a delivery of a test event to the account's endpoint. Idempotent. */
    async openTestDelivery(deliveryId: string, accountId: string): Promise<PendingDelivery> {
      const { url } = (await stores.accounts.get(accountId)).webhook;
      const delivery = await stores.deliveries.plan(newTestDelivery(deliveryId, accountId, url));
      await stores.deliveries.dropOldTests(accountId);
      return pending(delivery, url ?? '', true);
    },

    /** Ends a delivery without another attempt. Idempotent. */
    closeDelivery: (deliveryId: string, cycle: string, end: DeliveryEnd): Promise<void> =>
      stores.deliveries.close(deliveryId, cycle, end),
  };
}

/**
 * The input of a workflow that delivers or resumes this delivery. Later cycles were requested, and
 * so were tests.
 */
export const pendingDeliveryOf = (delivery: DeliveryRecord): PendingDelivery =>
  pending(delivery, delivery.url ?? '', delivery.jobId === null || delivery.cycle !== FIRST_CYCLE);

function pending(delivery: DeliveryRecord, url: string, force: boolean): PendingDelivery {
  const { id: deliveryId, cycle, accountId, jobId, target } = delivery;
  const receiver = URL.canParse(url) ? new URL(url).origin : '';
  return { deliveryId, cycle, accountId, jobId, target, receiver, force };
}
