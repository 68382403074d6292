import { LIMITS } from '../../contract/limits.ts';
import type { ChoiceOption, Condition, OptionSpec, ToolSpec } from '../tool-spec.ts';
import type { SentOptions } from './request.ts';
import { own, tidy } from './text.ts';

export type ToolSettings = Record<string, string>;

/** Most characters of an unchecked value that is not free text. */
const UNCHECKED_LENGTH = 100;

/**
 * The options that take effect: those of the request, or else the defaults, without those that do
 * not apply.
 */
export function resolveSettings(tool: ToolSpec, sent: SentOptions, keys: readonly string[]): ToolSettings {
  const all: ToolSettings = {};
  for (const [key, option] of Object.entries(tool.options)) {
    const value = keys.includes(key) ? normalize(option, sent.get(key), all) : '';
    if (value !== '') all[key] = value;
  }
  const effective = Object.entries(all).filter(([key]) => applies(own(tool.options, key), all));
  return Object.fromEntries(effective);
}

/** Whether the settings meet the condition. */
export function meets(condition: Condition, settings: ToolSettings): boolean {
  return Object.entries(condition).every(([key, wanted]) => {
    const value = settings[key];
    if (wanted === 'missing') return value === undefined;
    return value !== undefined && (wanted === 'given' || wanted.includes(value));
  });
}

/** The items of an array or of a comma-separated string; undefined for any other value. */
function listItems(raw: unknown): string[] | undefined {
  const items: unknown = typeof raw === 'string' ? raw.slice(0, LIMITS.freeTextLength).split(',') : raw;
  if (!Array.isArray(items)) return undefined;
  const texts = items.slice(0, UNCHECKED_LENGTH).map((item) => tidy(String(scalar(item)), UNCHECKED_LENGTH));
  return [...new Set(texts.filter((item) => item !== ''))];
}

function applies(option: OptionSpec | undefined, all: ToolSettings): boolean {
  const condition = option?.appliesWhen;
  return condition === undefined || (condition !== 'never' && meets(condition, all));
}

/**
 * The value as one bounded line, or an empty string if there is none. Only the guided tier has
 * checked it.
 */
function normalize(option: OptionSpec, raw: unknown, resolved: ToolSettings): string {
  switch (option.kind) {
    case 'choice':
      return normalizeChoice(option, tidy(scalar(raw), UNCHECKED_LENGTH), resolved);
    case 'list':
      return tidy(listItems(raw)?.join(', ') ?? '', UNCHECKED_LENGTH);
    case 'text': {
      const text = scalar(raw);
      return tidy(option.hyphensAsSpaces ? text.replaceAll('-', ' ') : text, option.maxLength);
    }
    case 'hex':
    case 'flag':
      return tidy(scalar(raw), UNCHECKED_LENGTH) || option.default;
  }
}

function normalizeChoice(option: ChoiceOption, text: string, resolved: ToolSettings): string {
  const value = text === option.sameAsOmitted ? '' : text;
  if (option.valuesBy === undefined) return value || (option.default ?? '');
  const list = own(option.valuesBy.lists, resolved[option.valuesBy.option]) ?? [];
  return list.includes(value) ? value : (list[0] ?? '');
}

function scalar(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : '';
}
