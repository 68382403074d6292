import { noWebhookEndpoint } from '../../contract/api-errors.ts';
import { WebhookDelivery } from '../../contract/deliveries.ts';
import { KEPT_TESTS, newDeliveryId, newTestDelivery } from '../../domain/delivery.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { startDelivery } from '../webhooks/start.ts';

/** POST /v1/webhook-endpoint/test: sends a test event to the account's endpoint. */
export const testWebhookEndpoint: Route = (app, deps) =>
  app.post(
    '/v1/webhook-endpoint/test',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Test the webhook endpoint',
        description: `Sends the event \`test.ping\` to the endpoint of the account, also while it is disabled, in a single attempt. The response is the delivery before the attempt; its outcome is in the list of deliveries, which keeps the latest ${KEPT_TESTS} tests. Takes no body.`,
        response: { 202: WebhookDelivery, ...errorResponses(['invalid_request']) },
      },
    },
    async ({ caller: { accountId } }, reply) => {
      const { url } = (await deps.stores.accounts.get(accountId)).webhook;
      if (url === null) throw noWebhookEndpoint();
      const planned = await deps.stores.deliveries.plan(newTestDelivery(newDeliveryId(), accountId, url));
      return reply.code(202).send(await startDelivery(deps, 'sendTest', planned));
    },
  );
