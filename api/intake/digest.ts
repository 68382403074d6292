import { createHash } from 'node:crypto';
import type { JobBody } from './body.ts';
import type { IncomingImage } from './image-field.ts';

/**
 * What makes two bodies the same for an Idempotency-Key: SHA-256, in hex, over the canonical fields and, in place of the
 * base64, the declared type and the digest of the decoded image. Order of keys, whitespace and spelling of escapes
 * don't matter. The image's line comes after a raw line feed, which canonical JSON never holds, so fields can't imitate it.
 */
export function bodyDigest({ fields, image }: JobBody): string {
  return createHash('sha256')
    .update(`job body 1\n${canonicalJson(fields)}\n${imageLine(image)}`)
    .digest('hex');
}

function imageLine(image: IncomingImage | undefined): string {
  if (image === undefined) return 'none';
  // No job ever came of such a body, so its digest only has to differ from those that made one.
  if ('malformed' in image) return 'malformed';
  return `${image.declared ?? 'undeclared'} ${image.sha256}`;
}

/**
 * JSON with sorted keys and no whitespace (after RFC 8785), of values that came from JSON.parse. A number too large for
 * a double reads `Infinity`, so that it is not taken for the `null` of JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
