/** The keywords of a variable's schema that say what it may be. `expected` is for a pattern, in words. */
export interface Allowed {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  pattern?: unknown;
  expected?: unknown;
}

/** What a value must be. The value itself is quoted only where it cannot be a secret. */
export function explain(allowed: Allowed, value: unknown): string {
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
