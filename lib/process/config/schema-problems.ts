import type { TProperties } from 'typebox';
import { Value } from 'typebox/value';

/** The keywords of a variable's schema that say what it may be. `expected` is for a pattern, in words. */
interface Allowed {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  pattern?: unknown;
  expected?: unknown;
}

/**
 * Problems of each variable by itself, a line each: the errors of the whole object would end after the first few.
 * @param env the variables after conversion, with defaults
 * @param set the variables as they are set
 * @param unread variables whose files have no usable secret, which is reported elsewhere
 */
export function schemaProblems(
  { properties, required }: { properties: TProperties; required: readonly string[] },
  env: Readonly<Record<string, unknown>>,
  set: Readonly<Record<string, string | undefined>>,
  unread: ReadonlySet<string>,
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = env[name];
    if (value === undefined)
      return required.includes(name) && !unread.has(name) ? [`${name}: must be set`] : [];
    if (Value.Check(schema, value) && isWritten(schema, set[name])) return [];
    return [`${name}: ${explain(schema, set[name] ?? value)}`];
  });
}

/** Whether a number is written in digits: the conversion also takes `true`, `1e3` and `0x10`, and cuts off fractions. */
function isWritten({ type }: Allowed, text: string | undefined): boolean {
  if (text === undefined) return true;
  if (type === 'integer') return /^\d+$/.test(text);
  return type !== 'number' || /^\d+(?:\.\d+)?$/.test(text);
}

/** What a value must be. The value itself is quoted only where it cannot be a secret. */
function explain(allowed: Allowed, value: unknown): string {
  const not = `, not ${JSON.stringify(value)}`;
  if (Array.isArray(allowed.enum)) return `must be one of ${allowed.enum.join(', ')}${not}`;
  if (allowed.type === 'boolean') return `must be true or false${not}`;
  if (allowed.type === 'integer') return `must be a whole number ${rangeOf(allowed)}${not}`;
  if (allowed.type === 'number') return `must be a number ${rangeOf(allowed)}${not}`;
  if (allowed.expected !== undefined) return `must be ${allowed.expected}`;
  const isUrl = String(allowed.pattern).includes('https?://');
  return isUrl ? 'must begin with http:// or https://' : `must match ${allowed.pattern}`;
}

const rangeOf = ({ minimum, maximum }: Allowed): string =>
  maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
