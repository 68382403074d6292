import type { Tool, Warning } from '../contract/schemas.ts';
import type { ToolSpec } from './tool-spec.ts';

export type { ToolSpec } from './tool-spec.ts';

export type Resolution = '2K' | '4K';

/** What a request for a tool comes to: everything the worker needs, JSON-safe, fixed at acceptance. */
export interface Plan {
  tool: string;
  /** Internal label of result files: `<account_id>/<file_id>-<label>.<ext>`. */
  label: string;
  imagesCharged: 1 | 2;
  /** Longest side of the result, in pixels. */
  longestSide: 2048 | 4096;
  /** The result never has fewer pixels than the input. */
  neverSmaller: boolean;
  /** What the generator is told. */
  instruction: string;
  /** The options that took effect. */
  settings: Record<string, string>;
  warnings: Warning[];
}

/** `message` tells the caller what to change; it belongs to `invalid_request`. */
export type Planned = { ok: true; plan: Plan } | { ok: false; message: string };

const SLUGS =
  `virtual-staging empty-your-space empty-your-space-advanced add-furniture-object furniture-replacement
  furniture-facelift virtual-renovation wall-color-change wall-treatment flooring-replacement restyle-surfaces
  fireplace-renovation staircase-railing ceiling-fan lighting-update door-update construction-interior
  cabinet-replacement countertop-replacement backsplash-update kitchen-fixtures bathroom-fixtures bathroom-tile
  image-enhancement hdr-enhancement color-correction lighting-adjustment noise-reduction lens-correction
  perspective-correction image-upscaling 4k-upscale sky-replacement window-view-replacement background-replacement
  aerial-photo-editing portrait-retouching property-highlight day-to-dusk day-to-dusk-exterior seasonal-changes
  festive-flip item-removal declutter watermark-removal fire-restoration water-damage-restoration exterior-renovation
  construction-exterior roof-replacement driveway-renovation fence-addition exterior-additions garage-renovation
  patio-design outdoor-living landscaping lawn-enhancement pool pool-addition pool-removal floor-plan-to-3d
  sketch-to-floor-plan floor-plan-colorize floor-plan-visualize`.split(/\s+/);

const TOOLS: ReadonlyMap<string, ToolSpec> = new Map(
  SLUGS.map((slug) => [
    slug,
    {
      slug,
      label: slug,
      group: '',
      title: slug,
      description: '',
      cost: slug === '4k-upscale' ? 2 : 1,
      customPrompt: 'not read',
      options: {},
      task: [slug],
      keep: '',
    },
  ]),
);

/** The tool with exactly this slug. */
export function findTool(slug: string): ToolSpec | undefined {
  return TOOLS.get(slug);
}

/** Every tool in the contract's order, with its price at 2K. */
export function listTools(): Tool[] {
  return [...TOOLS.values()].map(({ slug, cost }) => ({ slug, images_cost: cost }));
}

/** What a request comes to, or what is wrong with it. Never throws; `options` is the field as it was sent. */
export function planRender(tool: ToolSpec, options: Record<string, unknown> = {}): Planned {
  const large = options.resolution === '4K';
  const plan: Plan = {
    tool: tool.slug,
    label: tool.label,
    imagesCharged: large ? 2 : tool.cost,
    longestSide: large ? 4096 : 2048,
    neverSmaller: false,
    instruction: tool.task.join(' '),
    settings: {},
    warnings: [],
  };
  return { ok: true, plan };
}
