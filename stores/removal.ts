import type { ImageStore } from './images.ts';
import type { Stores } from './ports.ts';
import type { ObjectRef } from './records.ts';

/** How long {@link removeImagesSoon} holds its caller up. */
const SOON_MS = 3000;

interface Parts {
  stores: Pick<Stores, 'removals'>;
  images: Pick<ImageStore, 'remove'>;
}

/**
 * Removes objects now, as far as the image store lets; what stays is owed to the daily sweep. Never throws.
 * @returns how many may still be there
 */
export async function removeImages({ stores, images }: Parts, refs: readonly ObjectRef[]): Promise<number> {
  if (refs.length === 0) return 0;
  const failures = await images.remove(refs);
  // A row that could not be taken off is settled by the sweep: removing what is gone succeeds.
  await stores.removals.settle(refs, failures).catch(() => {});
  return failures.length;
}

/** {@link removeImages}, waited for 3 s at most; what takes longer goes on behind the caller's back. */
export async function removeImagesSoon(parts: Parts, refs: readonly ObjectRef[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise((resolve) => {
    timer = setTimeout(resolve, SOON_MS);
  });
  await Promise.race([removeImages(parts, refs), timeUp]);
  clearTimeout(timer);
}
