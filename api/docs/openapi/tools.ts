import { describeCatalog } from '../../../catalog/describe.ts';
import { optionsSchema } from '../../../catalog/options-schema.ts';
import { TOOLS } from '../../../catalog/registry.ts';
import type { Schema } from './types.ts';

/** Name of the schema of a tool's options: `OptionsPoolAddition`, `Options4kUpscale`. */
export function optionsName(slug: string): string {
  const words = slug.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Options${words.join('')}`;
}

/** The options schema of each tool, generated from the catalogue, by component name. */
export function optionsSchemas(): Record<string, Schema> {
  return Object.fromEntries(
    [...TOOLS.values()].map((tool) => {
      const title = optionsName(tool.slug);
      return [title, { ...optionsSchema(tool), title }];
    }),
  );
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
