import { Refused } from './ports.ts';
import type { PackRecord } from './records.ts';

/**
 * Images a refund of the pack takes: as many as asked, else all that is left of it.
 * @throws Refused when fewer are left, or none
 */
export function imagesToRefund(pack: PackRecord, asked?: number): number {
  const left = pack.images - pack.refunded;
  if (left === 0) throw new Refused(`Pack ${pack.id} is refunded in full already.`);
  const images = asked ?? left;
  if (images > left)
    throw new Refused(`Pack ${pack.id} has ${left} images left to refund, fewer than ${images}.`);
  return images;
}
