const MAX_ID_LENGTH = 4000;
/**
 * About the most values of a JSON body. An image is one value. Parsing millions blocks the process
 * for a minute.
 */
const MAX_VALUES = 50_000;
/** An image costs cents. A higher price is an error of the upstream. */
const MOST_USD = 100;
const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/** The value of a JSON body; undefined when it is no JSON, or too much of it. */
export function parseJson(body: Buffer): unknown {
  if (hasManyValues(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Counts the bytes that begin a value, in strings too: base64 has none of them. */
function hasManyValues(body: Buffer): boolean {
  let values = 0;
  // An index takes a third of the time of an iterator. A body may have 64 MB.
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte !== COMMA && byte !== BRACKET && byte !== BRACE) continue;
    values += 1;
    if (values > MAX_VALUES) return true;
  }
  return false;
}

/**
 * The values at a path, for instance `error.code` or `images.0.url`; `*` stands for every item of a
 * list or object.
 */
export function valuesAt(json: unknown, path: string): unknown[] {
  return path
    .split('.')
    .reduce<unknown[]>((values, key) => values.flatMap((value) => at(value, key)), [json]);
}

/** The first text at the path. */
export const textAt = (json: unknown, path: string): string | undefined =>
  valuesAt(json, path).find((value) => typeof value === 'string');

/**
 * The first text at the path, if it may be an id or a URL that is stored: short, and without
 * control characters.
 */
export function idAt(json: unknown, path: string): string | undefined {
  const text = textAt(json, path);
  return text !== undefined && text.length <= MAX_ID_LENGTH && /^[!-~]+$/.test(text) ? text : undefined;
}

/** The first number at the path. */
export const numberAt = (json: unknown, path: string): number | undefined =>
  valuesAt(json, path).find((value) => typeof value === 'number');

/** The bytes of an image in base64, with the head of a data URI or without. */
export const imageFrom = (text: string): Buffer =>
  Buffer.from(text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text, 'base64');

function at(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (key === '*') return Object.values(value);
  if (!Object.hasOwn(value, key)) return [];
  const found: unknown = Reflect.get(value, key);
  return found === undefined || found === null ? [] : [found];
}

/** The price of an image in US dollars, as an upstream says; null if no image can cost that. */
export const plausibleCost = (usd: number): number | null => (usd >= 0 && usd <= MOST_USD ? usd : null);
