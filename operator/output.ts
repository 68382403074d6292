/** One record as it is printed, in the names of the JSON. Dates are ISO 8601 in JSON, to the second for people. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a command has to say. */
export type Answer =
  /** One record. For people: `text` in place of the record, `note` after it. */
  | { fields: Fields; text?: string; note?: string }
  /** Many records. People see the given columns, or the sentence `none` when there is no row. */
  | { rows: readonly Fields[]; columns: readonly string[]; none: string };

export function toJson(answer: Answer): string {
  return `${JSON.stringify('rows' in answer ? answer.rows : answer.fields, null, 2)}\n`;
}

export function toText(answer: Answer): string {
  if ('rows' in answer) return answer.rows.length === 0 ? `${answer.none}\n` : table(answer);
  if (answer.text !== undefined) return `${answer.text}\n`;
  const lines = Object.entries(answer.fields).map(([name, value]) => [label(name), cell(value)]);
  return `${align(lines)}${answer.note === undefined ? '' : `\n${answer.note}\n`}`;
}

function table({ rows, columns }: { rows: readonly Fields[]; columns: readonly string[] }): string {
  const numbers = columns.map((name) => rows.some((row) => typeof row[name] === 'number'));
  const head = columns.map((name) => label(name).toUpperCase());
  return align([head, ...rows.map((row) => columns.map((name) => cell(row[name])))], numbers);
}

/** Lines up columns with two spaces between them, numbers to the right. */
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
  if (typeof value !== 'object') return printable(String(value));
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? '-' : printable(value.join(', '));
  return printable(JSON.stringify(value));
}

/** Clients choose some of what is shown: their control characters must not reach the operator's terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
