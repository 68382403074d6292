import type { Warning } from '../../contract/schemas.ts';
import type { Tier } from '../plan.ts';
import type { ToolSpec } from '../tool-spec.ts';
import { whyAliasIgnored } from './aliases.ts';
import { COMMON_KEYS, isResolution, keysOf, RESOLUTIONS, type SentOptions } from './request.ts';
import { likelyKey } from './suggest.ts';
import { own, show } from './text.ts';

/**
 * Number of unknown keys that get a suggestion, and number of those that may get the list of all
 * keys instead.
 */
const MAX_SUGGESTIONS = 10;
const MAX_LISTS = 3;

/**
 * One warning for each ignored key, in the order of the request (spec: Warning). Warnings are
 * stored with the job, so after a few unknown keys they become short.
 */
export function warningsFor(tool: ToolSpec, tier: Tier, sent: SentOptions): Warning[] {
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

function whyIgnored(tool: ToolSpec, tier: Tier, sent: SentOptions, key: string): string | undefined {
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

/** @param ordinal position among the unknown keys, from 1 */
function unknownKey(tool: ToolSpec, key: string, ordinal: number): string {
  if (ordinal > MAX_SUGGESTIONS) return 'Unknown option; it was ignored.';
  const keys = keysOf(tool);
  const meant = likelyKey(key, keys);
  const list = ordinal <= MAX_LISTS ? ` Its options are ${keys.join(', ')}.` : '';
  const hint = meant === undefined ? list : ` Did you mean ${meant}?`;
  return `${tool.slug} has no option ${show(key)}; it was ignored.${hint}`;
}
