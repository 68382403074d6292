import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Headers with which a receiver verifies a webhook (Standard Webhooks 1.0). */
export interface WebhookHeaders {
  [name: string]: string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * A message to sign. `timestamp` is that of the attempt, in Unix seconds; `body` must be sent
 * unchanged.
 */
export interface WebhookMessage {
  id: string;
  timestamp: number;
  body: string;
}

/**
 * A new signing secret: the prefix, then 256 random bits in base64 (the standard asks for 24 to 64
 * bytes).
 */
export function issueWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Headers with one signature per secret, so that a receiver can verify with either during a
 * rotation.
 */
export function signWebhook(secrets: readonly string[], message: WebhookMessage): WebhookHeaders {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, message)}`).join(' '),
  };
}

function signature(secret: string, { id, timestamp, body }: WebhookMessage): string {
  if (!secret.startsWith(PREFIX)) throw new TypeError(`A webhook secret must start with ${PREFIX}.`);
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}
