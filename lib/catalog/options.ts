import { LIMITS } from '../contract/limits.ts';
import type { ChoiceOption, FlagOption, HexOption, ListOption, TextOption } from './tool-spec.ts';
import { FINISH } from './values.ts';
import { FACADE_WORDING, FINISH_WORDING, INTENSITY_WORDING, ROOM_WORDING, STYLE_WORDING } from './wording.ts';

/** Constructors for the files in tools/. `more` holds the less common properties. */
export function choice(
  description: string,
  values: readonly string[],
  defaultValue?: string,
  more: Partial<ChoiceOption> = {},
): ChoiceOption {
  const base = { kind: 'choice', description, values, ...more } as const;
  return defaultValue === undefined ? base : { ...base, default: defaultValue };
}

/** A choice whose every value has its own words in the instruction. */
export function worded(
  description: string,
  wording: Readonly<Record<string, string>>,
  defaultValue?: string,
  more: Partial<ChoiceOption> = {},
): ChoiceOption {
  return choice(description, Object.keys(wording), defaultValue, { wording, ...more });
}

export function list(description: string, values: readonly string[]): ListOption {
  return { kind: 'list', description, values };
}

export function text(description: string, more: Partial<TextOption> = {}): TextOption {
  return { kind: 'text', description, maxLength: LIMITS.freeTextLength, ...more };
}

/** A variety, shade or color in words; `sage-green` reads as `sage green`. */
export function tone(description: string): TextOption {
  return text(description, { hyphensAsSpaces: true });
}

export function hex(description: string, defaultValue: string, more: Partial<HexOption> = {}): HexOption {
  return { kind: 'hex', description, default: defaultValue, ...more };
}

export function flag(
  description: string,
  defaultValue: 'true' | 'false',
  more: Partial<FlagOption> = {},
): FlagOption {
  return { kind: 'flag', description, default: defaultValue, ...more };
}

export function style(
  description: string,
  values: readonly string[],
  defaultValue?: string,
  more: Partial<ChoiceOption> = {},
): ChoiceOption {
  return choice(description, values, defaultValue, { wording: STYLE_WORDING, ...more });
}

export function facadeStyle(
  description: string,
  values: readonly string[],
  defaultValue: string,
): ChoiceOption {
  return choice(description, values, defaultValue, { wording: FACADE_WORDING });
}

export function room(defaultValue?: string): ChoiceOption {
  return worded('Room in the photo.', ROOM_WORDING, defaultValue);
}

export const intensity = worded('Strength of the edit.', INTENSITY_WORDING, 'balanced');

/** A metal finish. */
export function finish(description: string, defaultValue?: string): ChoiceOption {
  return choice(description, FINISH, defaultValue, { wording: FINISH_WORDING });
}

export const fixtureFinish = finish('Metal finish of the fixture.', 'brushed-nickel');
