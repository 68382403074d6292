import type { OptionSpec, ToolSpec } from '../../../lib/catalog/tool-spec.ts';
import { acceptedPlan } from './plan.ts';

type Options = Record<string, unknown>;

const TEXTS: Readonly<Record<string, string>> = {
  'add-furniture-object': 'a round walnut coffee table with a ceramic vase on it',
  'furniture-replacement': 'the two armchairs by the window, with light linen ones',
  'construction-interior': 'oak herringbone floor, white flush doors, black window frames',
  'item-removal': 'the garden hose and the blue bucket next to the door',
  'property-highlight': 'the white house with the red roof left of the road',
};

/** A customPrompt as a client may send it. */
export function wishes({ slug }: ToolSpec): string {
  return TEXTS[slug] ?? 'Warm and bright, natural materials, nothing flashy.';
}

/** The least that the tool accepts. */
function base(tool: ToolSpec): Options {
  return tool.ownKeysOnly ? { style: 'modern' } : {};
}

export function instruction(tool: ToolSpec, options: Options): string {
  return acceptedPlan(tool.slug, { ...base(tool), ...options }).instruction;
}

/** All free text of the tool, filled in. */
export function texts(tool: ToolSpec): Options {
  const keys = Object.entries(tool.options).filter(([, option]) => option.kind === 'text');
  return Object.fromEntries(keys.map(([key]) => [key, TEXTS[tool.slug] ?? 'warm-white with a hint of gray']));
}

/**
 * Every listed value of every option that has an effect, with what else must be sent for it to have
 * one.
 */
export function values(tool: ToolSpec): { key: string; value: string; options: Options }[] {
  return Object.entries(tool.options).flatMap(([key, option]) =>
    option.appliesWhen === 'never'
      ? []
      : listed(option).map((value) => ({
          key,
          value,
          options: { ...enabling(option, value), [key]: value },
        })),
  );
}

function listed(option: OptionSpec): readonly string[] {
  if (option.kind === 'flag') return ['true', 'false'];
  if (option.kind === 'choice') return option.values.filter((value) => value !== option.sameAsOmitted);
  return option.kind === 'list' ? option.values : [];
}

function enabling(option: OptionSpec, value: string): Options {
  const condition = typeof option.appliesWhen === 'object' ? option.appliesWhen : {};
  const needed = Object.entries(condition).flatMap(([key, wanted]) =>
    typeof wanted === 'string' ? [] : [[key, wanted[0]]],
  );
  return { ...Object.fromEntries(needed), ...(option.kind === 'choice' ? decidedBy(option, value) : {}) };
}

function decidedBy({ valuesBy }: OptionSpec & { kind: 'choice' }, value: string): Options {
  const decider = Object.entries(valuesBy?.lists ?? {}).find(([, list]) => list.includes(value));
  return valuesBy && decider ? { [valuesBy.option]: decider[0] } : {};
}
