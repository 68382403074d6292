/** One record by its JSON names. Dates are ISO 8601 in JSON, and shown to the second in text. */
export type Fields = Readonly<Record<string, unknown>>;

/** The result of a command. */
export type Answer =
  /**
   * One record. As text, fields that are lists of records follow it as tables, `text` replaces it,
   * and `note` ends it.
   */
  | { fields: Fields; text?: string; note?: string }
  /**
   * Many records. As text, only `columns` are shown, or the sentence `none` when there are no rows.
   */
  | { rows: readonly Fields[]; columns: readonly string[]; none: string; note?: string };

/** Ends the result of a command whose reference was used before. */
export const REPEATED_NOTE =
  'The reference was used before: this is the first result. Nothing was changed now.';

/** Longest text in a table within a record. */
const NESTED_WIDTH = 100;

export function toJson(answer: Answer): string {
  return `${safeJson('rows' in answer ? answer.rows : answer.fields, 2)}\n`;
}

export function toText(answer: Answer): string {
  const note = answer.note === undefined ? '' : `\n${answer.note}\n`;
  if ('rows' in answer)
    return answer.rows.length === 0 ? `${answer.none}\n` : `${table(answer.rows, answer.columns)}${note}`;
  return answer.text === undefined ? `${record(answer.fields)}${note}` : `${answer.text}\n`;
}

function record(fields: Fields): string {
  const lines: string[][] = [];
  const tables: string[] = [];
  for (const [name, value] of Object.entries(fields))
    if (isRows(value))
      tables.push(`\n${label(name)}\n\n${table(value, Object.keys(value[0] ?? {}), NESTED_WIDTH)}`);
    else lines.push([label(name), cell(value)]);
  return align(lines) + tables.join('');
}

const isRows = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => typeof item === 'object' && item !== null);

function table(
  rows: readonly Fields[],
  columns: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string {
  const numbers = columns.map((name) => rows.some((row) => typeof row[name] === 'number'));
  const head = columns.map((name) => label(name).toUpperCase());
  const cut = (text: string) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
  return align([head, ...rows.map((row) => columns.map((name) => cut(cell(row[name]))))], numbers);
}

/** Aligns columns with two spaces between them, numbers to the right. */
function align(lines: readonly (readonly string[])[], numbers: readonly boolean[] = []): string {
  const widths: number[] = [];
  for (const line of lines)
    for (const [index, text] of line.entries()) widths[index] = Math.max(widths[index] ?? 0, text.length);
  const pad = (text: string, index: number) =>
    numbers[index] ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}

const label = (name: string) => name.replaceAll('_', ' ');

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return `${value.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  if (typeof value !== 'object') return escapeControls(String(value));
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? '-' : escapeControls(value.join(', '));
  return safeJson(value);
}

/**
 * JSON whose texts cannot control a terminal either: JSON.stringify escapes only what is below
 * U+0020.
 */
export const safeJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).split('\n').map(escapeControls).join('\n');

/**
 * Escapes control characters: parts of the output come from clients and must not control the
 * operator's terminal.
 */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
