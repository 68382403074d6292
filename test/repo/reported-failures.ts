import { readFileSync } from 'node:fs';
import { type Argument, parseSync, Visitor } from 'oxc-parser';

/**
 * A retry policy of a workflow that names final failures, with the activities that it applies to.
 */
export interface Policy {
  activities: string[];
  /** The expressions in `nonRetryableErrorTypes`, as written. */
  types: string[];
}

export interface Reported {
  policies: Policy[];
  /** The expressions for the type of each ApplicationFailure, as written. */
  types: string[];
}

/** What a file of workflows or activities names as the types of failures. */
export function reportedIn(path: string, text = readFileSync(path, 'utf8')): Reported {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const source = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  const found: Reported = { policies: [], types: [] };
  let activities: string[] = [];
  new Visitor({
    VariableDeclarator({ id }) {
      activities = id.type === 'ObjectPattern' ? id.properties.map(source) : [source(id)];
    },
    Property({ key, value }) {
      if (key.type !== 'Identifier' || key.name !== 'nonRetryableErrorTypes') return;
      const types = value.type === 'ArrayExpression' ? value.elements : [value];
      found.policies.push({ activities, types: types.filter((type) => type !== null).map(source) });
    },
    CallExpression({ callee, arguments: args }) {
      if (!/^ApplicationFailure\.\w+$/.test(source(callee))) return;
      found.types.push(...typeArgumentsOf(args).map(source));
    },
  }).visit(program);
  return found;
}

/** The type in `create({ type })`, `retryable(message, type)` and `nonRetryable(message, type)`. */
function typeArgumentsOf([first, second]: Argument[]) {
  if (first?.type !== 'ObjectExpression') return second === undefined ? [] : [second];
  return first.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'type'
      ? [property.value]
      : [],
  );
}
