import { vi } from 'vitest';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import { issueWebhookSecret } from '../../lib/domain/webhook-signature.ts';
import type { closers } from './closers.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Service, startService } from './service.ts';

/** A retry schedule short enough for a test. */
export const QUICK = { scheduleMs: [0, 50, 100, 100], timeoutMs: 2000 };

/** A service that may reach the given receivers. */
export const serviceFor = (receivers: readonly Receiver[]) =>
  startService({ env: { EGRESS_ALLOW_ORIGINS: receivers.map(({ origin }) => origin).join(',') } });

/** A receiver, and a service that may reach it. */
export async function openWithReceiver(open: ReturnType<typeof closers>) {
  const receiver = open.use(await startReceiver());
  return { receiver, service: open.use(await serviceFor([receiver])) };
}

/** A client of the service with a webhook endpoint, or none. */
export async function clientWith(service: Service, url: string | null, images = 0) {
  const client = await service.client(images);
  const secret = issueWebhookSecret();
  await service.stores.accounts.setWebhook(client.accountId, {
    url,
    rotateTo: { secret, previousUntil: new Date(0) },
  });
  return { ...client, secret };
}

/** Waits until the delivery of a job's event is in this state. */
export function deliveryIn(
  { stores }: Service,
  jobId: string,
  state: DeliveryRecord['state'],
): Promise<DeliveryRecord> {
  return vi.waitFor(async () => {
    const delivery = await stores.deliveries.find(deliveryIdOf(jobId));
    if (delivery?.state !== state) throw new Error(`the delivery is ${JSON.stringify(delivery)}`);
    return delivery;
  }, 60_000);
}
