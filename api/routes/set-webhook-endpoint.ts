import { LIMITS } from '../../lib/contract/limits.ts';
import { SetWebhookEndpoint, WebhookEndpoint } from '../../lib/contract/webhook-endpoint.ts';
import { presentEndpoint } from '../../lib/domain/present-webhooks.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { changeEndpoint, checkWebhookUrl } from '../webhooks/endpoint.ts';

/** PUT /v1/webhook-endpoint: sets the account's endpoint, or removes it. */
export const setWebhookEndpointRoute: Route = (app, { stores, egress }) =>
  app.put(
    '/v1/webhook-endpoint',
    {
      config: { group: 'webhooks', scope: 'webhooks', bodyBytes: LIMITS.endpointBodyBytes },
      schema: {
        operationId: 'setWebhookEndpoint',
        summary: 'Set the webhook endpoint',
        description:
          'Sets or, with null, removes the URL that is notified of jobs without a `webhook_url`. It must be a public https URL, as the `webhook_url` of a job, and is returned as it is called: with its host in lower case and what needs it encoded. Setting it, to the same URL as well, enables a disabled endpoint. The secret stays.',
        body: SetWebhookEndpoint,
        response: { 200: WebhookEndpoint, ...errorResponses(['invalid_request', 'webhook_url_rejected']) },
      },
    },
    async ({ caller, body }) => {
      const url = await checkWebhookUrl(egress, 'url', body.url);
      const { webhook } = await changeEndpoint(stores.accounts, caller.accountId, () => ({ url }));
      return presentEndpoint(webhook);
    },
  );
