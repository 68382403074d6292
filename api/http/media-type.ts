const MAX_LENGTH = 256;
/** RFC 2046, 5.1.1: at most 70 of these characters. The last may not be a space. */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * Whether a Content-Type is JSON in UTF-8: no parameter except the charset, which may be quoted
 * (RFC 9110, 8.3). It is split, and bounded in length, because a regular expression for it would
 * backtrack over runs of spaces.
 */
export function isJson(contentType: string): boolean {
  if (contentType.length > MAX_LENGTH) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(';').map(trimmed);
  return type === 'application/json' && parameters.length <= 2 && parameters.every(isUtf8OrEmpty);
}

function isUtf8OrEmpty(parameter: string, index: number): boolean {
  if (parameter === '') return true;
  const [name, value, ...rest] = parameter.split('=').map(trimmed);
  const isUtf8 = value === 'utf-8' || value === '"utf-8"';
  return index === 0 && name === 'charset' && isUtf8 && rest.length === 0;
}

/** Whether a Content-Type is multipart/form-data, with or without a usable boundary. */
export const isForm = (contentType: string) =>
  contentType.split(';', 1)[0]?.trim().toLowerCase() === 'multipart/form-data';

/**
 * The boundary of a multipart/form-data Content-Type. It may be quoted. No other parameter is
 * allowed but a charset, which some clients add and which has no effect.
 * @returns undefined if there is no valid one
 */
export function formBoundary(contentType: string): string | undefined {
  if (contentType.length > MAX_LENGTH) return undefined;
  const [, ...parameters] = contentType.split(';').map(trimmed);
  const others = parameters.filter((parameter) => parameter !== '' && !/^charset=/i.test(parameter));
  const [name = '', ...value] = others[0]?.split('=') ?? [];
  if (others.length !== 1 || name.trim().toLowerCase() !== 'boundary') return undefined;
  const boundary = unquoted(value.join('=').trim());
  return BOUNDARY.test(boundary) ? boundary : undefined;
}

const unquoted = (text: string) =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;

const trimmed = (text: string) => text.trim();
