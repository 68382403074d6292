import type { ImageStore } from './images.ts';
import type { Stores } from './ports.ts';
import type { ObjectRef } from './records.ts';

/**
 * Removes objects now, as far as the image store lets; what stays is owed to the daily sweep. Never throws.
 * @returns how many may still be there
 */
export async function removeImages(
  { stores, images }: { stores: Pick<Stores, 'removals'>; images: Pick<ImageStore, 'remove'> },
  refs: readonly ObjectRef[],
): Promise<number> {
  if (refs.length === 0) return 0;
  const failures = await images.remove(refs);
  // A row that could not be taken off is settled by the sweep: removing what is gone succeeds.
  await stores.removals.settle(refs, failures).catch(() => {});
  return failures.length;
}
