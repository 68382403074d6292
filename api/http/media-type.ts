const MAX_LENGTH = 256;

/**
 * Whether a Content-Type is JSON in UTF-8: no parameter except the charset, which may be quoted (RFC 9110, 8.3). It is
 * split, and bounded in length, because a regular expression for it would backtrack over runs of spaces.
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

const trimmed = (text: string) => text.trim();
