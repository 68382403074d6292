import type { ToolWithOptions } from '../types.ts';

interface OptionSchema {
  type?: unknown;
}

/**
 * The options of `--option`, in the types that the tool has for them. The service checks names and
 * values.
 */
export function readOptions(
  { options }: ToolWithOptions,
  pairs: readonly (readonly [string, string])[],
): Record<string, unknown> {
  const properties = new Map<string, OptionSchema>(Object.entries(options.properties ?? {}));
  return Object.fromEntries(pairs.map(([key, text]) => [key, typed(text, properties.get(key))]));
}

function typed(text: string, schema: OptionSchema | undefined): unknown {
  if (schema?.type === 'array') return text.split(',');
  if (schema?.type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
