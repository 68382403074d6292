import { describeCatalog, type ToolDescription } from '../../../lib/catalog/describe.ts';
import { commonOptionSchemas, optionsSchema } from '../../../lib/catalog/options-schema.ts';
import { TOOLS } from '../../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../../lib/catalog/tool-spec.ts';
import type { OpenApiSchema } from './types.ts';

type Schemas = Record<string, OpenApiSchema>;

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
  const common = Object.entries(commonOptionSchemas()).map(([key, option]) => {
    const title = capitalised(key);
    return [title, { ...withoutDefault(option), title }];
  });
  const own = [...TOOLS.values()].map((tool) => [optionsName(tool.slug), optionsOf(tool)]);
  return Object.fromEntries([...common, ...own]);
}

function optionsOf(tool: ToolSpec): OpenApiSchema {
  const { properties, ...schema } = optionsSchema(tool);
  const shared = tool.ownKeysOnly ? {} : commonOptionSchemas();
  const entries = Object.entries(properties).map(([key, option]) => [
    key,
    key in shared ? reference(capitalised(key)) : withoutDefault(option),
  ]);
  return { ...schema, title: optionsName(tool.slug), properties: Object.fromEntries(entries) };
}

/** Generators of clients make a property with a default required, so that a client would have to send it. */
function withoutDefault({ default: preset, ...option }: OpenApiSchema): OpenApiSchema {
  if (preset === undefined) return option;
  return { ...option, description: `${option.description} Default: \`${String(preset)}\`.` };
}

/**
 * The request of each tool, by component name. They describe the guided tier. The other tiers do not check values, so
 * the service accepts more.
 * @param fields the properties of `CreateJob` as the route declares them
 */
export function jobSchemas(fields: Schemas): Schemas {
  const tools = describeCatalog().flatMap((group) => group.tools);
  return Object.fromEntries(tools.map((tool) => [jobName(tool.slug), jobSchema(tool, fields)]));
}

/**
 * Complete objects, one for each way to send the image: generators of clients drop the properties of a schema that has
 * alternatives as well. `tool` is a constant instead of a discriminator, which openapi-typescript takes for objects only.
 */
function jobSchema(
  { slug, title, description, imagesAt2K, imagesAt4K, options }: ToolDescription,
  { tool: _tool, options: _options, image_url, image_base64, ...others }: Schemas,
): OpenApiSchema {
  const name = jobName(slug);
  const required = options.some((option) => option.required) ? ['options'] : [];
  const withImage = (suffix: string, image: object): OpenApiSchema => ({
    title: `${name}${suffix}`,
    type: 'object',
    properties: {
      tool: { type: 'string', const: slug },
      ...image,
      options: reference(optionsName(slug)),
      ...others,
    },
    required: ['tool', ...Object.keys(image), ...required],
  });
  return {
    title: name,
    description: `${title}. ${description} ${price(imagesAt2K, imagesAt4K)}`,
    oneOf: [withImage('ByUrl', { image_url }), withImage('ByBase64', { image_base64 })],
  };
}

/** The alternatives of `CreateJob`, one per tool. */
export const toolAlternatives = (): OpenApiSchema[] =>
  [...TOOLS.keys()].map((slug) => ({ title: slug, ...reference(jobName(slug)) }));

function price(at2K: number, at4K: number | null): string {
  if (at4K === null || at4K === at2K) return `${at2K} ${at2K === 1 ? 'image' : 'images'}.`;
  return `${at2K} image at 2K, ${at4K} at 4K.`;
}
