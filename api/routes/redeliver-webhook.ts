import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import {
  deliveryNotFound,
  deliveryPending,
  jobOfDeliveryDeleted,
  noWebhookEndpoint,
} from '../../lib/contract/api-errors.ts';
import { WebhookDelivery } from '../../lib/contract/deliveries.ts';
import { WEBHOOK_LIMITS } from '../../lib/contract/limits.ts';
import { isDeliveryId } from '../../lib/domain/delivery.ts';
import { presentDelivery } from '../../lib/domain/present-webhooks.ts';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { ApiDeps } from '../deps.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** POST /v1/webhook-deliveries/{id}/redeliver: delivers an event again. */
export const redeliverWebhookRoute: Route = (app, deps) =>
  app.post(
    '/v1/webhook-deliveries/:id/redeliver',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'redeliverWebhook',
        summary: 'Deliver an event again',
        description: `Sends the event again under the same \`webhook-id\`, with all attempts of the schedule, whether it was delivered, failed or was cancelled; also to an endpoint that is disabled. An event for the account goes to its endpoint of now. The response is the delivery before the first attempt. An account may redeliver ${WEBHOOK_LIMITS.redeliveries} events in any hour. Takes no body.`,
        params: Type.Object({ id: Type.String({ description: 'Id of the delivery.' }) }),
        response: {
          202: WebhookDelivery,
          ...errorResponses(['invalid_request', 'delivery_not_found', 'job_not_found', 'delivery_pending']),
        },
      },
    },
    async ({ caller, params }, reply) => {
      const delivery = await findDelivery(deps.stores, caller.accountId, params.id);
      if (delivery.state === 'pending') throw deliveryPending();
      await checkDestination(deps.stores, delivery);
      deps.rateLimits.countWebhook('redeliveries', caller.accountId);
      return reply.code(202).send(presentDelivery(await redeliver(deps, delivery)));
    },
  );

/**
 * The workflow is started first, because it makes the delivery pending too. Making it pending here
 * as well lets a client see that at once.
 */
async function redeliver(
  { stores, webhookGateway }: ApiDeps,
  delivery: DeliveryRecord,
): Promise<DeliveryRecord> {
  const { id, cycle: after } = delivery;
  const cycle = randomUUID();
  if (!(await webhookGateway.redeliver(delivery, cycle))) throw deliveryPending();
  const reopened = await stores.deliveries.reopen(id, cycle, after);
  if (reopened.cycle !== cycle) throw deliveryPending();
  return reopened;
}

async function findDelivery({ deliveries }: Stores, accountId: string, id: string): Promise<DeliveryRecord> {
  const delivery = isDeliveryId(id) ? await deliveries.find(id) : undefined;
  if (delivery?.accountId !== accountId) throw deliveryNotFound();
  return delivery;
}

/**
 * Each attempt checks this again.
 * @throws ApiError if there is nothing to send any more, or nowhere to send it to
 */
async function checkDestination(
  { jobs, accounts }: Stores,
  { accountId, jobId, target }: DeliveryRecord,
): Promise<void> {
  if (jobId !== null && (await jobs.find(accountId, jobId)) === undefined) throw jobOfDeliveryDeleted();
  if (target === 'account' && (await accounts.get(accountId)).webhook.url === null) throw noWebhookEndpoint();
}
