import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SECRET_BYTES = 32;

/**
 * A new key: prefix, 256 bits in base62, and a CRC32 of both so that a typo is found without a
 * look-up.
 */
export function issueApiKey(prefix: string): string {
  const body = prefix + base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  return body + checksum(body);
}

/** Whether the text has the form and checksum of a key. It may still not have been issued. */
export function isWellFormedApiKey(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix))
    return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * The SHA-256 digest under which a key is stored. The secret has 256 bits, so a slow hash would add
 * nothing.
 */
export function digestApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

const checksum = (body: string) => base62(BigInt(crc32(body)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n)
    text = (ALPHABET[Number(rest % 62n)] ?? '') + text;
  return text;
}
