import { toBase64 } from './base64.ts';

/** SHA-256 in base64url, without padding: 43 characters. */
export async function sha256(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return toBase64(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
