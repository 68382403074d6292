import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

const SECRET_BYTES = 32;

/**
 * A message to sign. `timestamp` is the time of the attempt, in Unix seconds; send `body`
 * unchanged.
 */
export interface WebhookMessage {
  id: string;
  timestamp: number;
  body: string;
}

/**
 * A new signing secret: `whsec_`, then 256 random bits in base64 (Standard Webhooks: 24 to 64
 * bytes).
 */
export const issueWebhookSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * The headers with which a receiver verifies a webhook (Standard Webhooks 1.0). They have one
 * signature per secret, so during a rotation a receiver can verify with either secret.
 * @throws Error for an empty secret
 */
export function signWebhook(secrets: readonly string[], { id, timestamp, body }: WebhookMessage) {
  const sign = (secret: string) => new Webhook(secret).sign(id, new Date(timestamp * 1000), body);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
