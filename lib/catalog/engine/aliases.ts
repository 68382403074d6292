import type { ToolSpec } from '../tool-spec.ts';
import type { SentOptions } from './request.ts';
import { own, show } from './text.ts';

/** The options with each alias replaced by its key, unless the key was sent as well. */
export function withoutAliases(tool: ToolSpec, sent: SentOptions): SentOptions {
  const canonical = new Map(sent);
  for (const [name, alias] of Object.entries(tool.aliases ?? {})) {
    const value = own(alias.map, sent.get(name));
    if (value !== undefined && !sent.has(alias.for)) canonical.set(alias.for, value);
  }
  return canonical;
}

/** The warning about an ignored alias, or undefined if it was used. */
export function whyAliasIgnored(tool: ToolSpec, sent: SentOptions, name: string): string | undefined {
  const alias = own(tool.aliases, name);
  if (alias === undefined) return undefined;
  if (own(alias.map, sent.get(name)) === undefined)
    return `${show(sent.get(name))} is not a value of ${alias.for}; ${name} was ignored. Its values are ${Object.keys(alias.map).join(', ')}.`;
  if (sent.has(alias.for)) return `${name} was ignored because ${alias.for} was sent as well.`;
  return undefined;
}
