import { WebhookEndpoint } from '../../lib/contract/webhook-endpoint.ts';
import { presentEndpoint } from '../../lib/domain/present-webhooks.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** GET /v1/webhook-endpoint: the account's endpoint and its health. */
export const getWebhookEndpointRoute: Route = (app, { stores }) =>
  app.get(
    '/v1/webhook-endpoint',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'getWebhookEndpoint',
        summary: 'Read the webhook endpoint',
        description:
          'Where the events of jobs without a `webhook_url` go, and whether they arrive. The secret is not returned.',
        response: { 200: WebhookEndpoint, ...errorResponses() },
      },
    },
    async ({ caller }) => presentEndpoint((await stores.accounts.get(caller.accountId)).webhook),
  );
