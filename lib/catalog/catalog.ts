import { LIMITS } from '../contract/limits.ts';
import type { Tool, ToolWithOptions } from '../contract/schemas.ts';
import { withoutAliases } from './engine/aliases.ts';
import { findProblem, keysProblem, unknownTier } from './engine/check.ts';
import { buildInstruction } from './engine/instruction.ts';
import { type InstructionMode, modeOf, type SentOptions, tierOf } from './engine/request.ts';
import { resolveSettings, type ToolSettings } from './engine/settings.ts';
import { likelySlug } from './engine/suggest-tool.ts';
import { tidy } from './engine/text.ts';
import { warningsFor } from './engine/warnings.ts';
import { optionsSchema } from './options-schema.ts';
import type { Plan, Planned } from './plan.ts';
import { TOOLS } from './registry.ts';
import type { ToolSpec } from './tool-spec.ts';

export type { Plan, Planned, ResultChecks } from './plan.ts';
export type { ToolSpec } from './tool-spec.ts';

/** The tool with exactly this slug. */
export function findTool(slug: string): ToolSpec | undefined {
  return TOOLS.get(slug);
}

/**
 * The slug that an unknown one probably means, if any is similar.
 * @param isOffered whether a slug can be used now
 */
export function likelyTool(sent: string, isOffered: (slug: string) => boolean): string | undefined {
  return likelySlug(sent, [...TOOLS.keys()].filter(isOffered));
}

/** The generators of each group of tools, by the group's id, in failover order. */
export type GeneratorOrders = ReadonlyMap<string, readonly string[]>;

/**
 * Every tool in the contract's order, with its price at 2K and whether a generator of its group
 * performs it.
 */
export function describeTools(orders: GeneratorOrders): Tool[] {
  return [...TOOLS.values()].map((tool) => toolEntry(tool, orders));
}

/** The same tools with their options. */
export function describeToolsWithOptions(orders: GeneratorOrders): ToolWithOptions[] {
  return [...TOOLS.values()].map((tool) => ({
    ...toolEntry(tool, orders),
    title: tool.title,
    description: tool.description,
    options: optionsSchema(tool),
  }));
}

const toolEntry = (tool: ToolSpec, orders: GeneratorOrders) => ({
  slug: tool.slug,
  images_cost: tool.cost,
  preview_only: isPreviewOnly(tool, orders.get(tool.group) ?? []),
});

/**
 * Whether no generator of the list performs the tool: the built-in one then returns the photo with
 * a caption.
 */
function isPreviewOnly({ classical }: ToolSpec, generators: readonly string[]): boolean {
  return generators.every((name) => name === 'preview' && !classical);
}

/**
 * Plans a render, or returns what is wrong with the options (spec: tier rules, Warning). Pure;
 * never throws for any JSON value of `options`. Balance and image are checked elsewhere.
 */
export function planRender(tool: ToolSpec, options: Record<string, unknown> = {}): Planned {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return { ok: false, message: 'options must be an object.' };
  const unusable = keysProblem(options);
  if (unusable !== undefined) return { ok: false, message: unusable };

  const sent: SentOptions = new Map(Object.entries(options).filter(([, value]) => value !== undefined));
  const tier = tierOf(tool, sent);
  if (tier === undefined) return { ok: false, message: unknownTier(sent) };
  const problem = findProblem(tool, tier, sent);
  if (problem !== undefined) return { ok: false, message: problem };

  const mode = modeOf(tool, tier);
  const settings = settingsFor(tool, mode, sent);
  return {
    ok: true,
    plan: {
      tool: tool.slug,
      label: tool.label,
      ...sizeAndPrice(tool, sent),
      instruction: buildInstruction(tool, mode, settings),
      settings,
      warnings: warningsFor(tool, tier, sent),
      group: tool.group,
      classical: tool.classical ?? false,
      checks: { mustChange: !tool.mayKeepImage, minEdgeRecall: tool.minEdgeRecall ?? null },
    },
  };
}

function settingsFor(tool: ToolSpec, mode: InstructionMode, sent: SentOptions): ToolSettings {
  if (mode === 'text') return { customPrompt: tidy(String(sent.get('customPrompt')), LIMITS.freeTextLength) };
  const keys = mode === 'preset' ? (tool.presetKeeps ?? []) : Object.keys(tool.options);
  return resolveSettings(tool, withoutAliases(tool, sent), keys);
}

/** A render in 4K costs 2 images, and no render costs more. */
function sizeAndPrice(
  tool: ToolSpec,
  sent: SentOptions,
): Pick<Plan, 'imagesCharged' | 'longestSide' | 'neverSmaller'> {
  const doubled = sent.get('resolution') === '4K';
  return {
    imagesCharged: doubled ? 2 : tool.cost,
    longestSide: doubled || tool.upscales ? 4096 : 2048,
    neverSmaller: tool.upscales ?? false,
  };
}
