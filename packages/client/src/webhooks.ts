import { fromBase64 } from './base64.ts';
import type { TestEvent, WebhookEvent } from './types.ts';

/** The request does not come from the service, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Headers as `Headers` has them, or as Node's `request.headers` does. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const TOLERANCE_SECONDS = 5 * 60;

/**
 * Verifies a webhook by the Standard Webhooks specification.
 * @param body as it was received; a parsed body fails
 * @param secret of the account, `whsec_…`
 * @throws {WebhookVerificationError} when no signature is right, or the time of sending is more
 * than 5 minutes away
 */
async function verify(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<WebhookEvent | TestEvent> {
  const id = required(headers, 'webhook-id');
  const timestamp = required(headers, 'webhook-timestamp');
  const signatures = required(headers, 'webhook-signature');
  const age = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('webhook-timestamp is more than 5 minutes away.');
  const key = await importSecret(secret);
  const signed = await new Blob([`${id}.${timestamp}.`, new Uint8Array(bytesOf(body))]).arrayBuffer();
  // After a rotation there is a signature for each valid secret.
  for (const signature of signatures.split(' '))
    if (await isRight(key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytesOf(body)));
  throw new WebhookVerificationError('No signature in webhook-signature is right.');
}

export const webhooks = { verify };

const bytesOf = (body: string | Uint8Array) =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

function required(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The header ${name} is missing or repeated.`);
  return value;
}

async function importSecret(secret: string): Promise<HmacKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('The secret must be whsec_ and base64, as the service shows it.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Compared in constant time by `subtle.verify`. */
async function isRight(key: HmacKey, signature: string, signed: ArrayBuffer): Promise<boolean> {
  const [version, value = ''] = signature.split(',');
  const bytes = version === 'v1' ? decoded(value) : undefined;
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(base64);
  } catch {
    return undefined;
  }
}
