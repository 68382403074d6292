/** No honest value is longer. */
const LONGEST = 256;

/**
 * Whether a Content-Type is JSON in UTF-8: no parameter but the charset, which may be quoted (RFC 9110, 8.3). Split by
 * hand and of bounded length, since an expression for it backtracks over every run of spaces.
 */
export function isJson(contentType: string): boolean {
  if (contentType.length > LONGEST) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(';').map(trimmed);
  return type === 'application/json' && parameters.length <= 2 && parameters.every(isUtf8OrEmpty);
}

function isUtf8OrEmpty(parameter: string, place: number): boolean {
  if (parameter === '') return true;
  const [name, value, ...more] = parameter.split('=').map(trimmed);
  const isUtf8 = value === 'utf-8' || value === '"utf-8"';
  return place === 0 && name === 'charset' && isUtf8 && more.length === 0;
}

const trimmed = (text: string) => text.trim();
