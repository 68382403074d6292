import { Refused } from './errors.ts';

/** Arguments of a command, by name. */
export type Asked = Readonly<Record<string, string | number | null>>;

/** @throws Refused if the reference was first used with other arguments */
export function expectSame(reference: string, first: Asked, now: Asked): void {
  const differences = Object.entries(now).flatMap(([name, value]) =>
    first[name] === value ? [] : [`${name} ${first[name] ?? 'none'}, not ${value ?? 'none'}`],
  );
  if (differences.length > 0)
    throw new Refused(`The reference ${reference} was used before with ${differences.join('; ')}.`);
}
