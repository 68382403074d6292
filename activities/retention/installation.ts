import { ApplicationFailure } from '@temporalio/activity';
import { markOf } from '../../lib/domain/installation.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';

interface InstallationDeps {
  stores: Pick<Stores, 'settings'>;
  images: Pick<ImageStore, 'mark'>;
}

/**
 * Fails unless MongoDB and both buckets belong to the same installation. With an empty or foreign
 * database, every image would seem to belong to no job.
 * @throws ApplicationFailure wrong_installation; ImageStoreUnavailable while a mark cannot be read
 */
export async function assertOwnBuckets({ stores: { settings }, images }: InstallationDeps): Promise<void> {
  // While a mark cannot be read, nobody knows whose buckets these are. So nothing is removed.
  const problem = await problemOf({ settings, images }).catch(async (error) => {
    await settings.setRemovalsHeld('installation', true);
    throw error;
  });
  await settings.setRemovalsHeld('installation', problem !== undefined);
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, FAILURES.wrong_installation.type);
}

async function problemOf({
  settings,
  images,
}: InstallationDeps['stores'] & Pick<InstallationDeps, 'images'>): Promise<string | undefined> {
  const [id, inputs, results] = await Promise.all([
    settings.installation(),
    images.mark('inputs'),
    images.mark('results'),
  ]);
  if (id === undefined) return 'MongoDB has no installation id. No image is removed. Run `operator setup`.';
  const isOwn = inputs?.trim() === markOf(id, 'inputs') && results?.trim() === markOf(id, 'results');
  return isOwn
    ? undefined
    : `The buckets are not those of installation ${id}, which MongoDB has. No image is removed. Run \`operator setup\`.`;
}
