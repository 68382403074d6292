import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

export interface Expression {
  source: string;
  flags: string;
}

/** Where no code of the service lies. What tests match is what they made themselves. */
const ELSEWHERE = new Set(['node_modules', 'dist', 'test', '.git', '.stack']);

/** Every TypeScript file of the service, its tools and documents. */
export function sourceFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (ELSEWHERE.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

/**
 * The regular expressions of a file: literals, `RegExp` of a constant, and `pattern` of a schema, which the validator
 * compiles.
 * @throws when the file doesn't parse, or makes an expression of what is only known at run time
 */
export function expressionsIn(path: string, text = readFileSync(path, 'utf8')): Expression[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Expression[] = [];
  const made = ({ callee, arguments: given }: CallExpression | NewExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [source = '', flags = ''] = given.map((one) => constantOf(path, one));
    found.push({ source, flags });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: made,
    CallExpression: made,
    Property({ key, value }) {
      if (key.type === 'Identifier' && key.name === 'pattern' && value.type === 'Literal')
        found.push({ source: String(value.value), flags: 'u' });
    },
  }).visit(program);
  return found;
}

function constantOf(path: string, node: object): string {
  if ('value' in node && typeof node.value === 'string') return node.value;
  throw new Error(`${path}: a regular expression must be known before run time, so that it can be checked`);
}

/** Why an expression must not be used, or nothing when it takes a time that grows with the text alone. */
export async function problemOf({ source, flags }: Expression): Promise<string | undefined> {
  const verdict = await check(source, flags, { timeout: 60_000 });
  if (verdict.status === 'safe') return undefined;
  const why = verdict.status === 'vulnerable' ? verdict.complexity.summary : verdict.error.kind;
  return `/${source}/${flags}: ${why}`;
}
