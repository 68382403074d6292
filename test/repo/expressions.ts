import { readFileSync } from 'node:fs';
import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

export interface Expression {
  source: string;
  flags: string;
}

/**
 * The regular expressions of a file: literals, `RegExp` of a constant, and `pattern` of a schema,
 * which the validator compiles.
 * @throws Error when the file doesn't parse, or builds an expression at run time
 */
export function expressionsIn(path: string, text = readFileSync(path, 'utf8')): Expression[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Expression[] = [];
  const onCall = ({ callee, arguments: args }: CallExpression | NewExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [source = '', flags = ''] = args.map((argument) => constantOf(path, argument));
    found.push({ source, flags });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: onCall,
    CallExpression: onCall,
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

/** Why an expression is unsafe; undefined when its time grows linearly with the text. */
export async function problemOf({ source, flags }: Expression): Promise<string | undefined> {
  const verdict = await check(source, flags, { timeout: 60_000 });
  if (verdict.status === 'safe') return undefined;
  const reason = verdict.status === 'vulnerable' ? verdict.complexity.summary : verdict.error.kind;
  return `/${source}/${flags}: ${reason}`;
}
