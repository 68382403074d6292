import type { ToolEntry, ToolGroup, ToolSpec } from './tool-spec.ts';
import { EXTERIOR } from './tools/exterior.ts';
import { FLOOR_PLANS } from './tools/floor-plans.ts';
import { FURNITURE } from './tools/furniture.ts';
import { INTERIOR } from './tools/interior.ts';
import { KITCHEN_BATH } from './tools/kitchen-bath.ts';
import { LIGHT_SEASONS } from './tools/light-seasons.ts';
import { PHOTO } from './tools/photo.ts';
import { REMOVAL } from './tools/removal.ts';
import { STAGING } from './tools/staging.ts';

/** Every tool, in the contract's order of groups and of tools within them. */
export const GROUPS: readonly ToolGroup[] = [
  STAGING,
  FURNITURE,
  INTERIOR,
  KITCHEN_BATH,
  PHOTO,
  LIGHT_SEASONS,
  REMOVAL,
  EXTERIOR,
  FLOOR_PLANS,
];

/** Tools by slug. A Map, so that `__proto__` and `constructor` are not found. */
export const TOOLS: ReadonlyMap<string, ToolSpec> = new Map(
  GROUPS.flatMap((group) => group.tools.map((tool) => [tool.slug, toSpec(group, tool)])),
);

function toSpec(group: ToolGroup, tool: ToolEntry): ToolSpec {
  return { ...tool, group: group.id, label: tool.label ?? tool.slug, cost: tool.images ?? 1 };
}
