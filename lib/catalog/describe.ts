import { LIMITS } from '../contract/limits.ts';
import { COMMON_KEYS, DEFAULT_TIER, RESOLUTIONS, TIERS } from './engine/request.ts';
import { GROUPS, TOOLS } from './registry.ts';
import type { Condition, OptionSpec, ToolSpec } from './tool-spec.ts';

/** One option as the tools page shows it. */
export interface OptionDescription {
  key: string;
  type: string;
  values: readonly string[];
  default: string | null;
  required: boolean;
  description: string;
  /** The condition under which the option is used, or null if it always is. */
  usedWhen: string | null;
}

export interface ToolDescription {
  slug: string;
  title: string;
  description: string;
  imagesAt2K: 1 | 2;
  /** Null if the tool does not accept `resolution: 4K`. */
  imagesAt4K: 2 | null;
  readsCustomPrompt: boolean;
  /** Whether the auto tier uses a preset instead of the options. */
  hasPreset: boolean;
  takesCommonOptions: boolean;
  options: OptionDescription[];
}

export interface GroupDescription {
  id: string;
  title: string;
  description: string;
  tools: ToolDescription[];
}

/** The options of every tool except virtual-staging, in the contract's order. */
export function describeCommonOptions(): OptionDescription[] {
  const base = { required: false, usedWhen: null };
  const [resolution, tier, customPrompt] = COMMON_KEYS;
  return [
    {
      ...base,
      key: resolution,
      type: 'string',
      values: RESOLUTIONS,
      default: RESOLUTIONS[0],
      description: '4K doubles the price. Any other value is ignored with a warning.',
    },
    {
      ...base,
      key: tier,
      type: 'string',
      values: TIERS,
      default: DEFAULT_TIER,
      description:
        'guided checks and uses the options; custom uses customPrompt; auto does not check options and uses the preset of tools that have one.',
    },
    {
      ...base,
      key: customPrompt,
      type: `text, at most ${LIMITS.freeTextLength} characters`,
      values: [],
      default: null,
      description: 'What to do, in your own words. Required in the custom tier and ignored otherwise.',
      usedWhen: 'tier is custom and the tool reads it',
    },
  ];
}

/** Every group and tool, in the contract's order. */
export function describeCatalog(): GroupDescription[] {
  return GROUPS.map(({ id, title, description }) => ({
    id,
    title,
    description,
    tools: [...TOOLS.values()].filter((tool) => tool.group === id).map(describeTool),
  }));
}

export function describeTool(tool: ToolSpec): ToolDescription {
  const aliases = Object.entries(tool.aliases ?? {}).map(([key, alias]) => ({
    key,
    type: `string, alias of ${alias.for}`,
    values: Object.keys(alias.map),
    default: null,
    required: false,
    description: alias.description,
    usedWhen: `${alias.for} is not sent`,
  }));
  return {
    slug: tool.slug,
    title: tool.title,
    description: tool.description,
    imagesAt2K: tool.cost,
    imagesAt4K: tool.ownKeysOnly ? null : 2,
    readsCustomPrompt: tool.customPrompt === 'read',
    hasPreset: tool.preset !== undefined,
    takesCommonOptions: !tool.ownKeysOnly,
    options: [...Object.entries(tool.options).map(describeOption), ...aliases],
  };
}

function describeOption([key, option]: [string, OptionSpec]): OptionDescription {
  return {
    key,
    type: typeOf(option),
    values: valuesOf(option),
    default: 'default' in option ? (option.default ?? null) : null,
    required: option.required ?? false,
    description: option.description,
    usedWhen: usedWhenOf(option),
  };
}

function typeOf(option: OptionSpec): string {
  switch (option.kind) {
    case 'choice':
      return 'string';
    case 'flag':
      return 'string, not a boolean';
    case 'list':
      return 'array, or comma-separated string';
    case 'hex':
      return 'string, #RRGGBB';
    case 'text':
      return `text, at most ${option.maxLength} characters${option.hyphensAsSpaces ? '; hyphens read as spaces' : ''}`;
  }
}

function valuesOf(option: OptionSpec): readonly string[] {
  if (option.kind === 'flag') return ['true', 'false'];
  return 'values' in option ? option.values : [];
}

/** The condition under which the option is used, or null if it always is. */
export function usedWhenOf({ appliesWhen }: OptionSpec): string | null {
  // An option without effect says so in its description.
  return appliesWhen === undefined || appliesWhen === 'never' ? null : describeCondition(appliesWhen);
}

function describeCondition(condition: Condition): string {
  const terms = Object.entries(condition).map(([key, wanted]) => {
    if (wanted === 'given') return `${key} is sent`;
    return wanted === 'missing' ? `${key} is not sent` : `${key} is ${wanted.join(' or ')}`;
  });
  return terms.join(' and ');
}
