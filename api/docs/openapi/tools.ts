import { describeCatalog, describeCommonOptions, type OptionDescription } from '../../../catalog/describe.ts';
import { TOOLS } from '../../../catalog/registry.ts';
import type { OptionSpec, ToolSpec } from '../../../catalog/tool-spec.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Schema } from './types.ts';

/** Name of the schema of a tool's options: `OptionsPoolAddition`, `Options4kUpscale`. */
export function optionsName(slug: string): string {
  const words = slug.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Options${words.join('')}`;
}

/** The options schema of each tool, generated from the catalogue, by component name. */
export function optionsSchemas(): Record<string, Schema> {
  return Object.fromEntries([...TOOLS.values()].map((tool) => [optionsName(tool.slug), optionsSchema(tool)]));
}

/**
 * One alternative per tool, distinguished by `tool`. They describe the guided tier. The other tiers do not check
 * values, so the service accepts more.
 */
export function toolAlternatives(): Schema[] {
  return describeCatalog()
    .flatMap(({ tools }) => tools)
    .map(({ slug, title, description, imagesAt2K, imagesAt4K, options }) => ({
      title: slug,
      description: `${title}. ${description} ${price(imagesAt2K, imagesAt4K)}`,
      type: 'object',
      properties: {
        tool: { const: slug },
        options: { $ref: `#/components/schemas/${optionsName(slug)}` },
      },
      required: options.some(({ required }) => required) ? ['tool', 'options'] : ['tool'],
    }));
}

function price(at2K: number, at4K: number | null): string {
  if (at4K === null || at4K === at2K) return `${at2K} ${at2K === 1 ? 'image' : 'images'}.`;
  return `${at2K} image at 2K, ${at4K} at 4K.`;
}

function optionsSchema(tool: ToolSpec): Schema {
  const common = tool.ownKeysOnly ? [] : commonOptions(tool);
  const options = Object.entries(tool.options);
  const required = options.filter(([, option]) => option.required).map(([key]) => key);
  return {
    title: optionsName(tool.slug),
    description: rules(tool),
    type: 'object',
    properties: {
      ...Object.fromEntries(options.map(([key, option]) => [key, optionSchema(option)])),
      ...aliases(tool),
      ...Object.fromEntries(common),
    },
    ...(required.length > 0 ? { required } : {}),
    ...(tool.ownKeysOnly ? { additionalProperties: false } : {}),
  };
}

function rules({ slug, ownKeysOnly, alwaysChecked, preset }: ToolSpec): string {
  if (ownKeysOnly) return `Options of \`${slug}\`. Any other key is rejected with \`invalid_request\`.`;
  const checked = alwaysChecked
    ? 'Values are checked in every tier.'
    : 'Values are checked in the `guided` tier only.';
  const auto =
    preset === undefined ? '' : ' The `auto` tier uses the preset of the tool instead of its options.';
  return `Options of \`${slug}\`. ${checked}${auto} Other keys are ignored and named in \`warnings\`.`;
}

function optionSchema(option: OptionSpec): Schema {
  const { description } = option;
  switch (option.kind) {
    case 'choice':
      return { description, type: 'string', enum: option.values, ...withDefault(option.default) };
    case 'flag':
      return { description, type: 'string', enum: ['true', 'false'], ...withDefault(option.default) };
    case 'hex':
      return { description, type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', ...withDefault(option.default) };
    case 'text':
      return { description, type: 'string', maxLength: option.maxLength };
    case 'list':
      return { description, type: 'array', items: { type: 'string', enum: option.values } };
  }
}

function aliases(tool: ToolSpec): Record<string, Schema> {
  const entries = Object.entries(tool.aliases ?? {}).map(([key, alias]) => [
    key,
    { description: alias.description, type: 'string', enum: Object.keys(alias.map) },
  ]);
  return Object.fromEntries(entries);
}

function commonOptions({ customPrompt }: ToolSpec): [string, Schema][] {
  return describeCommonOptions()
    .filter(({ key }) => key !== 'customPrompt' || customPrompt === 'read')
    .map((option) => [option.key, commonSchema(option)]);
}

/** An option without listed values is free text. */
function commonSchema({ description, values, default: preset }: OptionDescription): Schema {
  if (values.length === 0) return { description, type: 'string', maxLength: LIMITS.freeTextLength };
  return { description, type: 'string', enum: values, ...withDefault(preset) };
}

const withDefault = (value: string | null | undefined) =>
  value === undefined || value === null ? {} : { default: value };
