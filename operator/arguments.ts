import { InvalidArgumentError } from 'commander';
import { LIMITS } from '../lib/contract/limits.ts';
import { SCOPES, type Scope } from '../lib/contract/scopes.ts';

const NAME_LENGTH = 100;
const IMAGES_MAX = 10_000_000;
const HOUR_MS = 3_600_000;

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

/**
 * `2026-01-31`, `2026-01-31T04:20:00Z`, a time as the commands print it, or an age such as `36h` or
 * `7d`. A time without a zone is refused: this machine would read it in its own zone, and the command could
 * miss hours of jobs.
 */
export function sinceArgument(text: string): Date {
  const [, amount, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(Date.now() - Number(amount) * (unit === 'd' ? 24 : 1) * HOUR_MS);
  const date = new Date(text.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z'));
  if (/^\d{4}-\d\d-\d\d($|.*(Z|UTC|[+-]\d\d:\d\d)$)/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError(
    'Give a time such as 2026-01-31 or 2026-01-31T04:20:00Z, or an age such as 36h or 7d.',
  );
}

/** A calendar month in UTC: its first moment, and that of the next month. */
export function monthArgument(text: string): { month: string; from: Date; until: Date } {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined)
    throw new InvalidArgumentError('Give a month such as 2026-01.');
  const startOf = (index: number) => new Date(Date.UTC(Number(year), index, 1));
  return { month: text, from: startOf(Number(month) - 1), until: startOf(Number(month)) };
}

/** Asks nothing. */
export const YES = ['--yes', 'do not ask'] as const;

export const imagesArgument = wholeNumber(1, IMAGES_MAX);
export const limitArgument = wholeNumber(1, 1000);

const days = wholeNumber(1, LIMITS.retentionDaysMax);
export const daysArgument = (text: string) => days(text);
export const daysOrNoneArgument = (text: string): number | typeof NONE => (text === NONE ? NONE : days(text));

/** `jobs,account`: each once, in the order of {@link SCOPES}. */
export function scopesArgument(text: string): readonly Scope[] | 'all' {
  if (text === 'all') return text;
  const given = text.split(',').map((part) => part.trim());
  const scopes = SCOPES.filter((scope) => given.includes(scope));
  if (scopes.length < new Set(given).size)
    throw new InvalidArgumentError(`Give all, or some of ${SCOPES.join(', ')} with commas between them.`);
  return scopes;
}

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
