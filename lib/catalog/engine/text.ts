/**
 * Controls, lone surrogates, line separators and format characters, except the joiners that scripts
 * and emoji need.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200C|\u200D)\p{Cf}/gu;

/**
 * One line of at most `maxLength` characters (code points), safe for a prompt, a record and a
 * caption.
 */
export function tidy(raw: string, maxLength: number): string {
  // Truncating first bounds the work on a text of megabytes; the truncated part is beyond the limit
  // in any case.
  const line = raw
    .slice(0, maxLength * 4)
    .normalize('NFC')
    .replace(UNSAFE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxLength).join('').trim();
}

/**
 * Counts code points, as JSON Schema's maxLength does, without iterating over a text that is far
 * too long.
 */
export function isLongerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > maxLength * 2 || [...text].length > maxLength;
}

/** A value for a message: a shortened, quoted string, or the type of any other value. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(tidy(value, 40));
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : 'an object';
}

/** The value of an own key. Keys come from callers, so inherited properties must not be found. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, key: unknown): T | undefined {
  return record && typeof key === 'string' && Object.hasOwn(record, key) ? record[key] : undefined;
}
