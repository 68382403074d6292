const MAX_ID_LENGTH = 4000;

/** The values at a path, for instance `error.code` or `images.0.url`; `*` stands for every item of a list or object. */
export function valuesAt(json: unknown, path: string): unknown[] {
  return path
    .split('.')
    .reduce<unknown[]>((values, key) => values.flatMap((value) => at(value, key)), [json]);
}

/** The first text at the path. */
export const textAt = (json: unknown, path: string): string | undefined =>
  valuesAt(json, path).find((value) => typeof value === 'string');

/** The first text at the path, if it is short enough to be an id or a URL that is stored. */
export function idAt(json: unknown, path: string): string | undefined {
  const text = textAt(json, path);
  return text !== undefined && text.length <= MAX_ID_LENGTH ? text : undefined;
}

/** The first number at the path. */
export const numberAt = (json: unknown, path: string): number | undefined =>
  valuesAt(json, path).find((value) => typeof value === 'number');

function at(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (key === '*') return Object.values(value);
  if (!Object.hasOwn(value, key)) return [];
  const found: unknown = Reflect.get(value, key);
  return found === undefined || found === null ? [] : [found];
}
