import { internalError } from '../../contract/api-errors.ts';
import type { WebhookDelivery } from '../../contract/deliveries.ts';
import { presentDelivery } from '../../domain/present-webhooks.ts';
import type { DeliveryRecord } from '../../domain/records.ts';
import type { ApiDeps } from '../deps.ts';
import type { WebhookGateway } from './gateway.ts';

const NOT_STARTED = {
  state: 'failed',
  reason: 'The service could not start the delivery. Request it again.',
} as const;

/**
 * Starts the workflow of a delivery that the log has as pending, so that a client that reads it at once sees that. If
 * it cannot be started it fails; a workflow that was started after all finds that and sends nothing.
 * @throws ApiError internal_error
 */
export async function startDelivery(
  { stores, webhookGateway }: Pick<ApiDeps, 'stores' | 'webhookGateway'>,
  how: keyof WebhookGateway,
  delivery: DeliveryRecord,
): Promise<WebhookDelivery> {
  try {
    await webhookGateway[how](delivery);
  } catch (cause) {
    // If MongoDB is down too, the daily retention run delivers it.
    await stores.deliveries.close(delivery.id, delivery.cycle, NOT_STARTED).catch(() => {});
    throw internalError({ cause });
  }
  return presentDelivery(delivery);
}
