/**
 * Replaces variables as compose does: `${NAME}`, `${NAME:-default}` with variables in the default, `${NAME:?message}`
 * and `$$` for a dollar sign.
 * @throws Error for a variable that must be set and is not
 */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  let result = '';
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('$$', at)) {
      result += '$';
      at += 2;
    } else if (text.startsWith('${', at)) {
      const end = closingBrace(text, at + 2);
      result += resolved(text.slice(at + 2, end), variables);
      at = end + 1;
    } else {
      result += text[at];
      at += 1;
    }
  }
  return result;
}

function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`no closing brace in ${text}`);
}

function resolved(expression: string, variables: Readonly<Record<string, string>>): string {
  const [, name = '', operator, rest = ''] = /^(\w+)(:-|:\?)?(.*)$/s.exec(expression) ?? [];
  const value = variables[name] ?? '';
  if (value !== '' || operator === undefined) return value;
  if (operator === ':?') throw new Error(`${name}: ${rest}`);
  return interpolate(rest, variables);
}
