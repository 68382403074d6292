import { expect } from 'vitest';
import { findTool, type Plan, planRender, type ToolSpec } from '../../../lib/catalog/catalog.ts';

export function tool(slug: string): ToolSpec {
  const found = findTool(slug);
  if (!found) throw new Error(`no tool ${slug}`);
  return found;
}

/** The plan of a request that must be accepted. */
export function acceptedPlan(slug: string, options?: Record<string, unknown>): Plan {
  const planned = planRender(tool(slug), options);
  if (!planned.ok) throw new Error(`refused: ${planned.message}`);
  return planned.plan;
}

/** The message of a request that must be refused. */
export function refusedPlan(slug: string, options?: Record<string, unknown>): string {
  const planned = planRender(tool(slug), options);
  expect(planned.ok).toBe(false);
  return planned.ok ? '' : planned.message;
}

export function warned(slug: string, options: Record<string, unknown>): string[] {
  return acceptedPlan(slug, options).warnings.map(({ option }) => option);
}
