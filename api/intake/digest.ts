import { createHash } from 'node:crypto';
import type { IncomingImage } from './image-field.ts';
import type { JobBody } from './job-body.ts';

/**
 * The digest by which two bodies of an Idempotency-Key are compared: SHA-256, in hex, of the canonical fields and, in
 * place of the base64, the declared type and the digest of the decoded image. Key order, whitespace and escapes do not
 * matter. The line of the image follows a raw line feed, which canonical JSON never contains, so that fields cannot
 * imitate it.
 */
export function bodyDigest({ fields, image }: JobBody): string {
  return createHash('sha256')
    .update(`job body 1\n${canonicalJson(fields)}\n${imageLine(image)}`)
    .digest('hex');
}

function imageLine(image: IncomingImage | undefined): string {
  if (image === undefined) return 'none';
  // Such a body never creates a job, so its digest only has to differ from those that do.
  if ('malformed' in image) return 'malformed';
  return `${image.declared ?? 'undeclared'} ${image.sha256}`;
}

/**
 * JSON with sorted keys and no whitespace (after RFC 8785) of a value from JSON.parse. A number too large for a double
 * is written as `Infinity`, because JSON.stringify would write `null`.
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
