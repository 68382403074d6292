import { describeCatalog, describeCommonOptions } from '../../../catalog/describe.ts';
import { optionsSchema } from '../../../catalog/options-schema.ts';
import { TOOLS } from '../../../catalog/registry.ts';
import type { ToolSpec } from '../../../catalog/tool-spec.ts';
import type { Schema } from './types.ts';

type Schemas = Record<string, Schema>;

const capitalised = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const nameOf = (slug: string) => slug.split('-').map(capitalised).join('');
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Name of the schema of a tool's options: `OptionsPoolAddition`, `Options4kUpscale`. */
export const optionsName = (slug: string): string => `Options${nameOf(slug)}`;

/** Name of the schema of a request for a tool: `CreatePoolAdditionJob`, `Create4kUpscaleJob`. */
export const jobName = (slug: string): string => `Create${nameOf(slug)}Job`;

/**
 * The options schema of each tool, generated from the catalogue, by component name. The common options are components
 * of their own: `Resolution`, `Tier`, `CustomPrompt`.
 */
export function optionsSchemas(): Schemas {
  const common: Schemas = {};
  const own = [...TOOLS.values()].map((tool) => [optionsName(tool.slug), optionsOf(tool, common)]);
  return { ...common, ...Object.fromEntries(own) };
}

/** @param common receives the schemas of the common options */
function optionsOf(tool: ToolSpec, common: Schemas): Schema {
  const { properties, ...schema } = optionsSchema(tool);
  const shared = new Set(tool.ownKeysOnly ? [] : describeCommonOptions().map(({ key }) => key));
  const entries = Object.entries(properties).map(([key, option]) => {
    const described = withoutDefault(option);
    if (!shared.has(key)) return [key, described];
    const title = capitalised(key);
    common[title] = { ...described, title };
    return [key, reference(title)];
  });
  return { ...schema, title: optionsName(tool.slug), properties: Object.fromEntries(entries) };
}

/** Generators of clients make a property with a default required, so that a client would have to send it. */
function withoutDefault({ default: preset, ...option }: Schema): Schema {
  if (preset === undefined) return option;
  return { ...option, description: `${option.description} Default: \`${String(preset)}\`.` };
}

/**
 * The request of each tool, by component name: complete objects, one for each way to send the image, because generators
 * of clients do not combine the properties of a schema with its alternatives. They describe the guided tier. The other
 * tiers do not check values, so the service accepts more.
 * @param fields the properties that all tools have in common
 */
export function jobSchemas(fields: Schemas): Schemas {
  return Object.fromEntries(
    describeCatalog()
      .flatMap(({ tools }) => tools)
      .map(({ slug, title, description, imagesAt2K, imagesAt4K, options }) => {
        const required = options.some((option) => option.required) ? ['options'] : [];
        const schema = {
          title: jobName(slug),
          description: `${title}. ${description} ${price(imagesAt2K, imagesAt4K)}`,
          oneOf: [
            jobSchema(slug, 'ByUrl', 'image_url', required, fields),
            jobSchema(slug, 'ByBase64', 'image_base64', required, fields),
          ],
        };
        return [schema.title, schema];
      }),
  );
}

function jobSchema(
  slug: string,
  suffix: string,
  image: 'image_url' | 'image_base64',
  required: readonly string[],
  { tool: _tool, options: _options, image_url, image_base64, ...others }: Schemas,
): Schema {
  return {
    title: `${jobName(slug)}${suffix}`,
    type: 'object',
    properties: {
      tool: { type: 'string', const: slug },
      [image]: { image_url, image_base64 }[image],
      options: reference(optionsName(slug)),
      ...others,
    },
    required: ['tool', image, ...required],
  };
}

/** The alternatives of `CreateJob`, one per tool. */
export const toolAlternatives = (): Schema[] =>
  [...TOOLS.keys()].map((slug) => ({ title: slug, ...reference(jobName(slug)) }));

function price(at2K: number, at4K: number | null): string {
  if (at4K === null || at4K === at2K) return `${at2K} ${at2K === 1 ? 'image' : 'images'}.`;
  return `${at2K} image at 2K, ${at4K} at 4K.`;
}
