import { createHash } from 'node:crypto';
import type { IncomingImage } from './image-field.ts';
import type { JobBody } from './job-body.ts';

/**
 * The digest by which two bodies of an Idempotency-Key are compared: SHA-256, in hex, of the canonical fields and, in
 * place of the image, its declared type and the digest of its bytes. Key order, whitespace and escapes do not matter.
 * The line of the image follows a raw line feed, which canonical JSON never contains, so that fields cannot imitate it.
 * A form with a JPEG has two digests, separated by a space: it is the same body as base64 with and without a prefix,
 * which are not the same as each other.
 */
export function bodyDigest({ fields, image }: JobBody): string {
  const start = createHash('sha256').update(`job body 1\n${canonicalJson(fields)}\n`);
  return imageLines(image)
    .map((line) => start.copy().update(line).digest('hex'))
    .join(' ');
}

/** Compares digests of {@link bodyDigest}. */
export function isSameBody(one: string, other: string): boolean {
  const digests = other.split(' ');
  return one.split(' ').some((digest) => digests.includes(digest));
}

function imageLines(image: IncomingImage | undefined): string[] {
  if (image === undefined) return ['none'];
  // Such a body never creates a job, so its digest only has to differ from those that do.
  if ('malformed' in image) return ['malformed'];
  const { declared = 'undeclared', isFile, sha256 } = image;
  const line = `${declared} ${sha256}`;
  return isFile && declared === 'image/jpeg' ? [`undeclared ${sha256}`, line] : [line];
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
