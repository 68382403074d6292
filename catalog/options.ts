import { LIMITS } from '../contract/limits.ts';
import type { ChoiceOption, FlagOption, HexOption, ListOption, TextOption } from './tool-spec.ts';
import { FINISH, INTENSITY, INTENSITY_WORDING, ROOM, STYLE_WORDING } from './values.ts';

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

export function room(defaultValue?: string, more: Partial<ChoiceOption> = {}): ChoiceOption {
  return choice('Room in the photo.', ROOM, defaultValue, more);
}

export const intensity = choice('Strength of the edit.', INTENSITY, 'balanced', {
  wording: INTENSITY_WORDING,
});

export const fixtureFinish = choice('Metal finish of the fixture.', FINISH, 'brushed-nickel');
