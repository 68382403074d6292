import { Type } from 'typebox';
import { WAITING } from '../../lib/contract/limits.ts';

/** The headers of a request that may ask to wait. */
export const PreferHeader = Type.Object({
  prefer: Type.Optional(
    Type.String({
      description: `\`wait=N\` (RFC 7240) asks to be answered once the job has ended, or after N seconds: 1 to ${WAITING.preferSeconds}, and more count as ${WAITING.preferSeconds}. Other preferences are ignored.`,
    }),
  ),
});

/**
 * The seconds of the preference `wait` (RFC 7240, section 4.3), at most {@link WAITING}.preferSeconds.
 * @param header the Prefer header, with the values of repeated ones joined by commas
 * @returns undefined without the preference, and when its value is not a number of seconds from 1 on
 */
export function preferredWait(header: string | undefined): number | undefined {
  // The first one counts, even if it cannot be used (section 2).
  const value = split(header ?? '', ',')
    .map(nameAndValue)
    .find(([name]) => name === 'wait')?.[1];
  const seconds = /^\d+$/.test(value ?? '') ? Number(value) : 0;
  return seconds > 0 ? Math.min(seconds, WAITING.preferSeconds) : undefined;
}

/** Of `Name=value; parameter`, the name in lower case and the value without quotes. */
function nameAndValue(preference: string): [name: string, value: string] {
  const [first = ''] = split(preference, ';');
  const [name = '', ...value] = split(first, '=');
  return [name.trim().toLowerCase(), unquoted(value.join('=').trim())];
}

function unquoted(word: string): string {
  const isQuoted = word.length > 1 && word.startsWith('"') && word.endsWith('"');
  return isQuoted ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word;
}

/** Splits at a separator, except within quoted strings (RFC 9110, 5.6.4). */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let n = 0; n < text.length; n += 1) {
    if (isQuoted && text[n] === '\\') n += 1;
    else if (text[n] === '"') isQuoted = !isQuoted;
    else if (text[n] === separator && !isQuoted) {
      parts.push(text.slice(start, n));
      start = n + 1;
    }
  }
  return [...parts, text.slice(start)];
}
