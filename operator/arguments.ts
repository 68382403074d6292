import { InvalidArgumentError } from 'commander';
import { LIMITS } from '../contract/limits.ts';

const NAME_LENGTH = 100;
const IMAGES_MAX = 10_000_000;

/** Clears a setting. The parser turns null into '', so this stays a string until it is used. */
const NONE = 'none';
export const orNull = <T>(value: T | typeof NONE): T | null => (value === NONE ? null : value);

/** A display name: visible characters on one line. */
export function nameArgument(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    throw new InvalidArgumentError(`Give one line of 1 to ${NAME_LENGTH} characters.`);
  return name;
}

/** The option that makes a command idempotent. */
export const REFERENCE = [
  '--reference <text>',
  'your id for this command; repeating it returns the first result and changes nothing',
  nameArgument,
] as const;

export const imagesArgument = wholeNumber(1, IMAGES_MAX);
export const limitArgument = wholeNumber(1, 1000);

const days = wholeNumber(1, LIMITS.retentionDaysMax);
export const daysArgument = (text: string) => days(text);
export const daysOrNoneArgument = (text: string): number | typeof NONE => (text === NONE ? NONE : days(text));

/** Checks the length; egress checks the rest. */
export function urlArgument(text: string): string {
  if (text.length > LIMITS.urlLength)
    throw new InvalidArgumentError(`Give at most ${LIMITS.urlLength} characters.`);
  return text;
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    return value;
  };
}
