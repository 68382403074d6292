import type { ObjectRef } from './records.ts';

/** Longest wait of {@link removeImagesSoon}. */
const SOON_MS = 3000;

/** An object that may still exist, with the reason. */
export interface RemovalFailure {
  ref: ObjectRef;
  reason: string;
}

/** The image store, and the outbox of objects to remove. */
export interface RemovalDeps {
  stores: {
    removals: { markRemoved(refs: readonly ObjectRef[], failures: readonly RemovalFailure[]): Promise<void> };
  };
  images: { remove(refs: readonly ObjectRef[]): Promise<RemovalFailure[]> };
}

/**
 * Removes objects now. Those that fail are queued in the outbox for the daily retention run. Never
 * throws.
 * @returns how many objects may still exist
 */
export async function removeImages(
  { stores, images }: RemovalDeps,
  refs: readonly ObjectRef[],
): Promise<number> {
  if (refs.length === 0) return 0;
  const failures = await images.remove(refs);
  // If this fails, the retention run removes the objects again, which is idempotent.
  await stores.removals.markRemoved(refs, failures).catch(() => {});
  return failures.length;
}

/** {@link removeImages}, but returns after 3 s at most; the removal continues in the background. */
export async function removeImagesSoon(deps: RemovalDeps, refs: readonly ObjectRef[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise((resolve) => {
    timer = setTimeout(resolve, SOON_MS);
  });
  await Promise.race([removeImages(deps, refs), timeUp]);
  clearTimeout(timer);
}
