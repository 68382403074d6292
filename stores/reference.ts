import { Refused } from './ports.ts';

/** What a command was asked for, by the names of its arguments. */
export type Asked = Readonly<Record<string, string | number | null>>;

/** @throws Refused when a reference that was used before comes with other arguments than the first time */
export function expectSame(reference: string, first: Asked, now: Asked): void {
  const differences = Object.entries(now).flatMap(([name, value]) =>
    first[name] === value ? [] : [`${name} ${first[name] ?? 'none'}, not ${value ?? 'none'}`],
  );
  if (differences.length > 0)
    throw new Refused(`The reference ${reference} was used before with ${differences.join('; ')}.`);
}
