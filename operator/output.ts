/** One record by its JSON names. Dates are ISO 8601 in JSON, and shown to the second in text. */
export type Fields = Readonly<Record<string, unknown>>;

/** The result of a command. */
export type Answer =
  /** One record. As text, `text` replaces the record, and `note` follows it. */
  | { fields: Fields; text?: string; note?: string }
  /** Many records. As text, only `columns` are shown, or the sentence `none` when there are no rows. */
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
  return escapeControls(JSON.stringify(value));
}

/** Escapes control characters: parts of the output come from clients and must not control the operator's terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
