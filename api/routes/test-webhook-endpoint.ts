import { noWebhookEndpoint } from '../../lib/contract/api-errors.ts';
import { WebhookDelivery } from '../../lib/contract/deliveries.ts';
import { WEBHOOK_LIMITS } from '../../lib/contract/limits.ts';
import { KEPT_TESTS, newDeliveryId, newTestDelivery } from '../../lib/domain/delivery.ts';
import { presentDelivery } from '../../lib/domain/present-webhooks.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** POST /v1/webhook-endpoint/test: sends a test event to the account's endpoint. */
export const testWebhookEndpointRoute: Route = (app, { stores, webhookGateway, rateLimits }) =>
  app.post(
    '/v1/webhook-endpoint/test',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Test the webhook endpoint',
        description: `Sends the event \`test.ping\` to the endpoint of the account, also while it is disabled, in a single attempt. The response is the delivery before the attempt; its outcome is in the list of deliveries, which keeps the latest ${KEPT_TESTS} tests. An account may send ${WEBHOOK_LIMITS['test-events']} in any hour. Takes no body.`,
        response: { 202: WebhookDelivery, ...errorResponses(['invalid_request']) },
      },
    },
    async ({ caller: { accountId } }, reply) => {
      const { url } = (await stores.accounts.get(accountId)).webhook;
      if (url === null) throw noWebhookEndpoint();
      rateLimits.countWebhook('test-events', accountId);
      const id = newDeliveryId();
      await webhookGateway.sendTest({ id, accountId });
      // The workflow does the same. Doing it here as well lets a client see the delivery at once.
      const delivery = await stores.deliveries.plan(newTestDelivery(id, accountId, url));
      return reply.code(202).send(presentDelivery(delivery));
    },
  );
