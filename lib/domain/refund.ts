import { Refused } from './errors.ts';
import type { PackRecord } from './records.ts';

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
