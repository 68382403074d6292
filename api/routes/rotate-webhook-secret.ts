import { ApiError } from '../../lib/contract/errors.ts';
import { WebhookSecret } from '../../lib/contract/webhook-endpoint.ts';
import type { EndpointRecord } from '../../lib/domain/records.ts';
import {
  MAX_REPLACED_SECRETS,
  newRotation,
  OLD_SECRET_HOURS,
  replacedSecrets,
} from '../../lib/domain/webhook-secrets.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { changeEndpoint } from '../webhooks/endpoint.ts';

/**
 * POST /v1/webhook-endpoint/rotate-secret: replaces the secret that signs the account's webhooks.
 */
export const rotateWebhookSecretRoute: Route = (app, { stores }) =>
  app.post(
    '/v1/webhook-endpoint/rotate-secret',
    {
      config: { group: 'webhooks', scope: 'webhooks' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the webhook secret',
        description: `Returns a new secret, once. Deliveries are signed with it and, for ${OLD_SECRET_HOURS} hours, with the one it replaces as well. A repeated request replaces the secret again, and cuts no earlier one short: each stays valid for its ${OLD_SECRET_HOURS} hours. After ${MAX_REPLACED_SECRETS} rotations within that time, the next one gets 429 \`rate_limited\`. Takes no body.`,
        response: { 200: WebhookSecret, ...errorResponses() },
      },
    },
    async ({ caller: { accountId } }) => {
      const rotation = newRotation();
      await changeEndpoint(stores.accounts, accountId, (endpoint) => {
        checkReplaced(endpoint);
        return { rotateTo: { ...rotation, keepOlder: true } };
      });
      return {
        secret: rotation.secret,
        previous_secret_valid_until: rotation.previousUntil.toISOString(),
      };
    },
  );

/** @throws ApiError rate_limited until one of the replaced secrets is no longer valid */
function checkReplaced(webhook: EndpointRecord): void {
  const now = new Date();
  const replaced = replacedSecrets(webhook, now);
  const oldest = replaced.at(-1);
  if (oldest === undefined || replaced.length < MAX_REPLACED_SECRETS) return;
  const message = `The secret was rotated ${replaced.length} times within ${OLD_SECRET_HOURS} hours. Use the latest one.`;
  const retryAfter = Math.ceil((oldest.until.getTime() - now.getTime()) / 1000);
  throw new ApiError('rate_limited', message, { limit: 'secret-rotations', retryAfter });
}
