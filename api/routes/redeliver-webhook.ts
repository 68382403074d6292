import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import {
  deliveryNotFound,
  deliveryPending,
  jobOfDeliveryDeleted,
  noWebhookEndpoint,
} from '../../contract/api-errors.ts';
import { WebhookDelivery } from '../../contract/deliveries.ts';
import { isDeliveryId } from '../../domain/delivery.ts';
import type { DeliveryRecord } from '../../domain/records.ts';
import type { Stores } from '../../stores/stores.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { startDelivery } from '../webhooks/start.ts';

/** POST /v1/webhook-deliveries/{id}/redeliver: delivers an event again. */
export const redeliverWebhook: Route = (app, deps) =>
  app.post(
    '/v1/webhook-deliveries/:id/redeliver',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'redeliverWebhook',
        summary: 'Deliver an event again',
        description:
          'Sends the event again under the same `webhook-id`, with all attempts of the schedule, whether it was delivered, failed or was cancelled; also to an endpoint that is disabled. An event for the account goes to its endpoint of now. The response is the delivery before the first attempt. Takes no body.',
        params: Type.Object({ id: Type.String({ description: 'Id of the delivery.' }) }),
        response: {
          202: WebhookDelivery,
          ...errorResponses(['invalid_request', 'delivery_not_found', 'job_not_found', 'delivery_pending']),
        },
      },
    },
    async ({ caller, params }, reply) => {
      const delivery = await findDelivery(deps.stores, caller.accountId, params.id);
      await checkDestination(deps.stores, delivery);
      const reopened = await deps.stores.deliveries.reopenEnded(delivery.id, randomUUID());
      if (reopened === undefined) throw deliveryPending();
      return reply.code(202).send(await startDelivery(deps, 'redeliver', reopened));
    },
  );

async function findDelivery({ deliveries }: Stores, accountId: string, id: string): Promise<DeliveryRecord> {
  const delivery = isDeliveryId(id) ? await deliveries.find(id) : undefined;
  if (delivery?.accountId !== accountId) throw deliveryNotFound();
  return delivery;
}

/** Each attempt checks this again. @throws ApiError if there is nothing to send any more, or nowhere to send it to */
async function checkDestination(
  { jobs, accounts }: Stores,
  { accountId, jobId, target }: DeliveryRecord,
): Promise<void> {
  if (jobId !== null && (await jobs.find(accountId, jobId)) === undefined) throw jobOfDeliveryDeleted();
  if (target === 'account' && (await accounts.get(accountId)).webhook.url === null) throw noWebhookEndpoint();
}
