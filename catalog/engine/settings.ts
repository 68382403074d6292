import { LIMITS } from '../../contract/limits.ts';
import type { ChoiceOption, Condition, OptionSpec, ToolSpec } from '../tool-spec.ts';
import type { Sent } from './request.ts';
import { own, tidy } from './text.ts';

export type Settings = Record<string, string>;

/** Longest value that is neither free text nor checked, in characters. */
const UNCHECKED_LENGTH = 100;

/** The options that take effect: what was sent, else the default, less what does not apply. */
export function resolveSettings(tool: ToolSpec, sent: Sent, keys: readonly string[]): Settings {
  const all: Settings = {};
  for (const [key, option] of Object.entries(tool.options)) {
    const value = keys.includes(key) ? settle(option, sent.get(key), all) : '';
    if (value !== '') all[key] = value;
  }
  const effective = Object.entries(all).filter(([key]) => applies(own(tool.options, key), all));
  return Object.fromEntries(effective);
}

/** Whether the settings meet every part of the condition. */
export function meets(condition: Condition, settings: Settings): boolean {
  return Object.entries(condition).every(([key, wanted]) => {
    const value = settings[key];
    if (wanted === 'missing') return value === undefined;
    return value !== undefined && (wanted === 'given' || wanted.includes(value));
  });
}

/** The items of an array or of a string with commas; nothing for what is neither. */
function listItems(raw: unknown): string[] | undefined {
  const items: unknown = typeof raw === 'string' ? raw.slice(0, LIMITS.freeTextLength).split(',') : raw;
  if (!Array.isArray(items)) return undefined;
  const texts = items.slice(0, UNCHECKED_LENGTH).map((item) => tidy(String(scalar(item)), UNCHECKED_LENGTH));
  return [...new Set(texts.filter((item) => item !== ''))];
}

function applies(option: OptionSpec | undefined, all: Settings): boolean {
  const condition = option?.appliesWhen;
  return condition === undefined || (condition !== 'never' && meets(condition, all));
}

/** The value as one bounded line, or an empty string for none. Only the guided tier has checked it before. */
function settle(option: OptionSpec, raw: unknown, settled: Settings): string {
  switch (option.kind) {
    case 'choice':
      return settleChoice(option, tidy(scalar(raw), UNCHECKED_LENGTH), settled);
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

function settleChoice(option: ChoiceOption, text: string, settled: Settings): string {
  const value = text === option.sameAsOmitted ? '' : text;
  if (option.valuesBy === undefined) return value || (option.default ?? '');
  const list = own(option.valuesBy.lists, settled[option.valuesBy.option]) ?? [];
  return list.includes(value) ? value : (list[0] ?? '');
}

function scalar(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : '';
}
