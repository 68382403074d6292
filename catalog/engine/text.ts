/** Controls, lone surrogates, line ends, and invisible characters save the two joiners that scripts and emoji need. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200C|\u200D)\p{Cf}/gu;

/** One line of at most `maxLength` characters (code points), safe for a prompt, a record and a caption. */
export function tidy(raw: string, maxLength: number): string {
  // Cutting first bounds the work on a text of megabytes; what is cut was beyond the limit anyway.
  const line = raw
    .slice(0, maxLength * 4)
    .normalize('NFC')
    .replace(UNSAFE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxLength).join('').trim();
}

/** Counts code points as JSON Schema's maxLength does, without walking a text that is far too long. */
export function isLongerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > maxLength * 2 || [...text].length > maxLength;
}

/** Quotes delimit the caller's words in an instruction, so these must not contain any. */
export function withoutQuotes(text: string): string {
  return text.replace(/["“”„«»]/g, "'");
}

/** A value as it can stand in a message: short, quoted, its kind where it is no string. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(tidy(value, 40));
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : 'an object';
}

/** The entry of an own key; data is looked up by callers' words, so inherited keys must not be found. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, key: unknown): T | undefined {
  return record && typeof key === 'string' && Object.hasOwn(record, key) ? record[key] : undefined;
}
