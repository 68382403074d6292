import type { Warning } from '../../contract/schemas.ts';
import type { Tier } from '../plan.ts';
import type { ToolSpec } from '../tool-spec.ts';
import { whyAliasIgnored } from './aliases.ts';
import { COMMON_KEYS, isResolution, keysOf, RESOLUTIONS, type Sent } from './request.ts';
import { likelyKey } from './suggest.ts';
import { own, show } from './text.ts';

/** Unknown keys for which the one that was meant is looked for, and those that come with the list of all keys. */
const HELPED = 10;
const LISTED = 3;

/**
 * One warning for each key that was sent and ignored, in the order sent (spec: Warning). They are stored with the job, so
 * those beyond a handful of unknown keys say no more than that.
 */
export function warningsFor(tool: ToolSpec, tier: Tier, sent: Sent): Warning[] {
  let unknown = 0;
  return [...sent.keys()].flatMap((option) => {
    if (isUnknown(tool, option)) unknown += 1;
    const message = isUnknown(tool, option)
      ? unknownKey(tool, option, unknown)
      : whyIgnored(tool, tier, sent, option);
    return message === undefined ? [] : [{ code: 'option_ignored', option, message }];
  });
}

function isUnknown(tool: ToolSpec, key: string): boolean {
  const known = own(tool.options, key) ?? own(tool.aliases, key);
  return known === undefined && !COMMON_KEYS.some((common) => common === key);
}

function whyIgnored(tool: ToolSpec, tier: Tier, sent: Sent, key: string): string | undefined {
  if (own(tool.options, key) !== undefined) return undefined;
  if (own(tool.aliases, key) !== undefined) return whyAliasIgnored(tool, sent, key);
  if (key === 'tier') return undefined;
  if (key === 'customPrompt') return whyTextIgnored(tool, tier);
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

/** @param place of the key among the unknown ones, from 1 */
function unknownKey(tool: ToolSpec, key: string, place: number): string {
  if (place > HELPED) return 'Unknown option; it was ignored.';
  const keys = keysOf(tool);
  const meant = likelyKey(key, keys);
  const list = place <= LISTED ? ` Its options are ${keys.join(', ')}.` : '';
  const hint = meant === undefined ? list : ` Did you mean ${meant}?`;
  return `${tool.slug} has no option ${show(key)}; it was ignored.${hint}`;
}
