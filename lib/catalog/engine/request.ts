import type { Tier } from '../plan.ts';
import type { ToolSpec } from '../tool-spec.ts';

/** The options of the request, own keys only, in order. */
export type SentOptions = ReadonlyMap<string, unknown>;

export const COMMON_KEYS = ['resolution', 'tier', 'customPrompt'] as const;
export const RESOLUTIONS = ['2K', '4K'] as const;
export const TIERS = ['auto', 'guided', 'custom'] as const satisfies readonly Tier[];
export const DEFAULT_TIER: Tier = 'guided';

/** What the instruction is built from: the caller's text, the tool's preset, or the options. */
export type InstructionMode = 'text' | 'preset' | 'options';

/**
 * The tier of a request, or undefined for an unknown one. A tool without tiers is always guided.
 */
export function tierOf(tool: ToolSpec, sent: SentOptions): Tier | undefined {
  if (tool.ownKeysOnly || !sent.has('tier')) return DEFAULT_TIER;
  return TIERS.find((tier) => tier === sent.get('tier'));
}

export function modeOf(tool: ToolSpec, tier: Tier): InstructionMode {
  if (tier === 'custom' && tool.customPrompt === 'read') return 'text';
  return tier === 'auto' && tool.preset !== undefined ? 'preset' : 'options';
}

export function isResolution(value: unknown): boolean {
  return RESOLUTIONS.some((resolution) => resolution === value);
}

/** Every key that the tool accepts, its own first. */
export function keysOf(tool: ToolSpec): string[] {
  const ownKeys = [...Object.keys(tool.options), ...Object.keys(tool.aliases ?? {})];
  if (tool.ownKeysOnly) return ownKeys;
  const common = COMMON_KEYS.filter((key) => key !== 'customPrompt' || tool.customPrompt === 'read');
  return [...ownKeys, ...common];
}
