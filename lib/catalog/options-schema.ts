import { LIMITS } from '../contract/limits.ts';
import { describeCommonOptions, type OptionDescription, usedWhenOf } from './describe.ts';
import type { Alias, OptionSpec, ToolSpec } from './tool-spec.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema with a property for each option and alias of a tool. */
export interface OptionsSchema extends JsonSchema {
  title: string;
  properties: Readonly<Record<string, JsonSchema>>;
}

/**
 * The options of a tool as JSON Schema (draft 2020-12). It describes the guided tier; the other
 * tiers do not check values, so the service accepts more.
 */
export function optionsSchema(tool: ToolSpec): OptionsSchema {
  const common = tool.ownKeysOnly ? [] : commonOptions(tool);
  const options = Object.entries(tool.options);
  const required = options.filter(([, option]) => option.required).map(([key]) => key);
  return {
    title: tool.title,
    description: rules(tool),
    type: 'object',
    properties: {
      ...Object.fromEntries(options.map(([key, option]) => [key, optionSchema(key, option)])),
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

function optionSchema(key: string, option: OptionSpec): JsonSchema {
  const usedWhen = usedWhenOf(option);
  const condition = usedWhen === null ? '' : ` Used when ${usedWhen}.`;
  const base = { title: titleOf(key), description: `${option.description}${condition}` };
  switch (option.kind) {
    case 'choice':
      return { ...base, type: 'string', enum: option.values, ...withDefault(option.default) };
    case 'flag':
      return { ...base, type: 'string', enum: ['true', 'false'], ...withDefault(option.default) };
    case 'hex':
      return { ...base, type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', ...withDefault(option.default) };
    case 'text':
      return { ...base, type: 'string', maxLength: option.maxLength };
    case 'list':
      return { ...base, type: 'array', items: { type: 'string', enum: option.values } };
  }
}

function aliases(tool: ToolSpec): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(tool.aliases ?? {}).map(([key, alias]) => [key, aliasSchema(key, alias)]),
  );
}

function aliasSchema(key: string, { for: target, map, description }: Alias): JsonSchema {
  const renamed = Object.entries(map).filter(([sent, meant]) => sent !== meant);
  const meanings = renamed.map(([sent, meant]) => `${sent} means ${meant}`);
  const values = meanings.length === 0 ? '' : ` ${meanings.join(', ')}.`;
  return {
    title: titleOf(key),
    description: `${description} Used when ${target} is not sent.${values}`,
    type: 'string',
    enum: Object.keys(map),
    'x-alias-of': target,
  };
}

function commonOptions({ customPrompt }: ToolSpec): [string, JsonSchema][] {
  return Object.entries(commonOptionSchemas()).filter(
    ([key]) => key !== 'customPrompt' || customPrompt === 'read',
  );
}

/** The options of every tool except virtual-staging, by key. */
export function commonOptionSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(describeCommonOptions().map((option) => [option.key, commonSchema(option)]));
}

/** An option without listed values is free text. */
function commonSchema({ key, description, values, default: preset }: OptionDescription): JsonSchema {
  const base = { title: titleOf(key), description, type: 'string' };
  if (values.length === 0) return { ...base, maxLength: LIMITS.freeTextLength };
  return { ...base, enum: values, ...withDefault(preset) };
}

/** `deckMaterial` -> `Deck material`, `fp3dLabels` -> `Labels`. */
function titleOf(key: string): string {
  const words = key
    .replace(/^fp3d/, '')
    .replace(/\B[A-Z]/g, ' $&')
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const withDefault = (value: string | null | undefined) =>
  value === undefined || value === null ? {} : { default: value };
