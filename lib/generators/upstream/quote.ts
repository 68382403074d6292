const LENGTH = 500;
/** Enough to find what an upstream says after an echo of the prompt. */
const READ_LENGTH = 16 * 1024;
/** Length of the parts that are removed; shorter ones occur by chance. */
const PART = { credential: 12, prompt: 16 };
/** A shorter text is no secret. */
const LEAST = 6;
/** Base64, with or without line breaks. */
const DATA = /[\w+/=-]{60,}/g;
const URLS = /https?:\/\/[^\s"'<>]+/gi;

/**
 * Makes text of an upstream fit for logs and for Temporal: upstreams echo requests in their errors.
 * Returns its beginning without the key, the prompt, image data, signed queries, escapes and
 * control characters.
 */
export type Quote = (text: string) => string;

/** @param credentials values of headers, with or without a scheme such as `Bearer` */
export function createQuote(credentials: readonly string[], prompt: string): Quote {
  const keys = credentials.flatMap((value) => value.replace(/^\w+ /, '').split(':'));
  const hidden = [
    ...keys
      .flatMap((key) => [key, encodeURIComponent(key)])
      .map((key) => ({ parts: partsOf(key, PART.credential), label: '[redacted]' })),
    { parts: partsOf(plain(prompt), PART.prompt), label: '[prompt]' },
  ];
  return (text) =>
    hidden
      .reduce((rest, { parts, label }) => withoutParts(rest, parts, label), plain(text.slice(0, READ_LENGTH)))
      .replace(DATA, '[data]')
      .replace(URLS, withoutQuery)
      .slice(0, LENGTH);
}

/** The query of a URL may be a signature. */
function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : `${url.slice(0, end)}?[redacted]`;
}

/** All parts of a text that have this length. A shorter text is its only part. */
interface Parts {
  length: number;
  all: ReadonlySet<string>;
}

function partsOf(text: string, most: number): Parts {
  const length = Math.min(most, text.length);
  const count = length < LEAST ? 0 : text.length - length + 1;
  return { length, all: new Set(Array.from({ length: count }, (_, at) => text.slice(at, at + length))) };
}

/** Puts a label in place of each run of parts, because an echo may be cut off. */
function withoutParts(text: string, { length, all }: Parts, label: string): string {
  if (all.size === 0) return text;
  let rest = '';
  let at = 0;
  while (at < text.length) {
    let end = at;
    while (all.has(text.slice(end, end + length))) end += 1;
    rest += end === at ? text[at] : label;
    at = end === at ? at + 1 : end + length - 1;
  }
  return rest;
}

/**
 * Without the escapes of JSON, nested or not, and with spaces for control characters and line
 * breaks.
 */
function plain(text: string): string {
  return text
    .replace(/\\{1,8}u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\{1,8}[nrt]/g, ' ')
    .replaceAll('\\', '')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
}
