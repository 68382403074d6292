import { Refused } from './errors.ts';
import type { PackRecord } from './records.ts';

/**
 * An idempotency key for a command, chosen by the caller. A call with a used reference returns the
 * first result, marked as `repeated`, and changes nothing; with other arguments it throws Refused.
 */
export type CommandReference = string | null;

/** Arguments of a command, by name. */
export type CommandArguments = Readonly<Record<string, string | number | null>>;

/**
 * An argument that the command did not have when the reference was first used counts as null.
 * @throws Refused if the reference was first used with other arguments
 */
export function expectSame(reference: string, first: CommandArguments, now: CommandArguments): void {
  const differences = Object.entries(now).flatMap(([name, value]) =>
    (first[name] ?? null) === value ? [] : [`${name} ${first[name] ?? 'none'}, not ${value ?? 'none'}`],
  );
  if (differences.length > 0)
    throw new Refused(`The reference ${reference} was used before with ${differences.join('; ')}.`);
}

/**
 * Number of images to refund: as many as asked, or all that are left in the pack.
 * @throws Refused if fewer are left, or none
 */
export function imagesToRefund(pack: PackRecord, asked?: number): number {
  const left = pack.images - pack.refunded;
  if (left === 0) throw new Refused(`Pack ${pack.id} is already fully refunded.`);
  const images = asked ?? left;
  if (images > left)
    throw new Refused(`Pack ${pack.id} has only ${left} images left to refund, not ${images}.`);
  return images;
}
