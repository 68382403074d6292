import { LIMITS } from '../../contract/limits.ts';
import type { Tier } from '../plan.ts';
import type { OptionSpec, ToolSpec } from '../tool-spec.ts';
import { keysOf, type SentOptions, TIERS } from './request.ts';
import { isLongerThan, own, show, tidy } from './text.ts';

/**
 * Far more than any tool has. Each unknown key becomes a stored warning, so their number is
 * bounded.
 */
export const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 100;

type Problem = string | undefined;

/** The message about the first invalid option, or undefined (spec: tier rules). */
export function findProblem(tool: ToolSpec, tier: Tier, sent: SentOptions): Problem {
  return (
    (tool.ownKeysOnly ? foreignKey(tool, sent) : textProblem(tier, sent)) ??
    missingKey(tool, sent) ??
    first([...sent], ([key, value]) => valueProblem(tool, tier, key, value))
  );
}

/** The message about an unknown tier. */
export function unknownTier(sent: SentOptions): string {
  return `options.tier must be one of ${TIERS.join(', ')}, not ${show(sent.get('tier'))}.`;
}

/** Checked first, because the cost of the other checks grows with the keys. */
export function keysProblem(options: Readonly<Record<string, unknown>>): Problem {
  const keys = Object.keys(options);
  if (keys.length > MAX_KEYS) return `options must not have more than ${MAX_KEYS} keys.`;
  const long = keys.find((key) => isLongerThan(key, MAX_KEY_LENGTH));
  return long === undefined
    ? undefined
    : `options must not have a key of more than ${MAX_KEY_LENGTH} characters.`;
}

function foreignKey(tool: ToolSpec, sent: SentOptions): Problem {
  const keys = keysOf(tool);
  const unknown = [...sent.keys()].find((key) => !keys.includes(key));
  if (unknown === undefined) return undefined;
  return `${tool.slug} does not have the option ${show(unknown)}. Its options are ${keys.join(', ')}.`;
}

function textProblem(tier: Tier, sent: SentOptions): Problem {
  const text = sent.has('customPrompt') ? sent.get('customPrompt') : '';
  if (typeof text !== 'string') return `options.customPrompt must be a string, not ${show(text)}.`;
  if (isLongerThan(text, LIMITS.freeTextLength))
    return `options.customPrompt must not have more than ${LIMITS.freeTextLength} characters.`;
  if (tier === 'custom' && tidy(text, LIMITS.freeTextLength) === '')
    return 'options.customPrompt is required when options.tier is custom.';
  return undefined;
}

function missingKey(tool: ToolSpec, sent: SentOptions): Problem {
  return first(Object.entries(tool.options), ([key, option]) => {
    if (!option.required || sent.has(key)) return undefined;
    return `${tool.slug} requires options.${key}: ${allowed(option)}.`;
  });
}

function valueProblem(tool: ToolSpec, tier: Tier, key: string, value: unknown): Problem {
  const alias = own(tool.aliases, key);
  if (alias?.unknownValue === 'reject' && own(alias.map, value) === undefined)
    return `options.${key} must be one of ${Object.keys(alias.map).join(', ')}, not ${show(value)}.`;
  const option = own(tool.options, key);
  if (option === undefined) return undefined;
  const checked = tool.alwaysChecked || tier === 'guided';
  if (value !== null && (!checked || isAllowed(option, value))) return undefined;
  return `options.${key} must be ${allowed(option)}, not ${show(value)}.`;
}

/** Whether the guided tier accepts the value. */
export function isAllowed(option: OptionSpec, value: unknown): boolean {
  if (option.kind === 'list') return isSubset(option.values, value);
  if (typeof value !== 'string') return false;
  switch (option.kind) {
    case 'choice':
      return option.values.includes(value);
    case 'flag':
      return value === 'true' || value === 'false';
    case 'hex':
      return /^#[0-9a-f]{6}$/i.test(value);
    case 'text':
      return !isLongerThan(value, option.maxLength);
  }
}

function isSubset(values: readonly string[], value: unknown): boolean {
  if (typeof value === 'string' && isLongerThan(value, LIMITS.freeTextLength)) return false;
  const items: unknown = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  return Array.isArray(items) && items.every((item) => typeof item === 'string' && values.includes(item));
}

function allowed(option: OptionSpec): string {
  switch (option.kind) {
    case 'choice':
      return `one of ${option.values.join(', ')}`;
    case 'list':
      return `a list of any of ${option.values.join(', ')}`;
    case 'flag':
      return 'the string "true" or "false"';
    case 'hex':
      return 'a color in the form #RRGGBB';
    case 'text':
      return `a string of at most ${option.maxLength} characters`;
  }
}

function first<T>(items: readonly T[], check: (item: T) => Problem): Problem {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
