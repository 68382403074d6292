import type { Warning } from '../../contract/schemas.ts';
import type { Tier } from '../plan.ts';
import type { ToolSpec } from '../tool-spec.ts';
import { whyAliasIgnored } from './aliases.ts';
import { isResolution, keysOf, RESOLUTIONS, type Sent } from './request.ts';
import { likelyKey } from './suggest.ts';
import { own, show } from './text.ts';

/** One warning for each key that was sent and ignored, in the order sent (spec: Warning). */
export function warningsFor(tool: ToolSpec, tier: Tier, sent: Sent): Warning[] {
  return [...sent.keys()].flatMap((option) => {
    const message = whyIgnored(tool, tier, sent, option);
    return message === undefined ? [] : [{ code: 'option_ignored', option, message }];
  });
}

function whyIgnored(tool: ToolSpec, tier: Tier, sent: Sent, key: string): string | undefined {
  if (own(tool.options, key) !== undefined) return undefined;
  if (own(tool.aliases, key) !== undefined) return whyAliasIgnored(tool, sent, key);
  if (key === 'tier') return undefined;
  if (key === 'customPrompt') return whyTextIgnored(tool, tier);
  if (key !== 'resolution') return unknownKey(tool, key);
  const value = sent.get(key);
  if (isResolution(value)) return undefined;
  return `resolution must be ${RESOLUTIONS.join(' or ')}; ${show(value)} was ignored and the default size is used.`;
}

function whyTextIgnored(tool: ToolSpec, tier: Tier): string | undefined {
  if (tool.customPrompt === 'read')
    return tier === 'custom' ? undefined : 'customPrompt was ignored; it is read with tier custom only.';
  const ignored = `${tool.slug} does not read customPrompt; the text was ignored`;
  return tier === 'custom' ? `${ignored} and the options were used unchecked.` : `${ignored}.`;
}

function unknownKey(tool: ToolSpec, key: string): string {
  const keys = keysOf(tool);
  const meant = likelyKey(key, keys);
  const hint = meant === undefined ? `Its options are ${keys.join(', ')}.` : `Did you mean ${meant}?`;
  return `${tool.slug} has no option ${show(key)}; it was ignored. ${hint}`;
}
