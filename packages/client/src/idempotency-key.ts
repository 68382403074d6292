import { sha256 } from './digest.ts';

/**
 * Characters of the record's id that can be read in the key. The whole key has at most 108 of 128
 * characters.
 */
const READABLE = 64;

/**
 * Derives the Idempotency-Key of a request from the id of the caller's own record and from
 * everything that is sent. A repeated call gets the same key. The same record with another tool,
 * option or photo gets another key.
 */
export async function idempotencyKey(record: string, inputs: object): Promise<string> {
  const readable = record.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, READABLE);
  return `${readable}-${await sha256(JSON.stringify([record, canonical(inputs)]))}`;
}

/** The same value with the keys of its objects sorted, and without keys that JSON leaves out. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.filter(([, part]) => part !== undefined).map(([key, part]) => [key, canonical(part)]);
}
