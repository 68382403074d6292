import type { Config } from '../../lib/process/config/config.ts';
import { createImageStore } from '../../lib/stores/s3/images.ts';
import { setupBuckets } from '../../lib/stores/s3/setup.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { identifyBuckets } from './identify-buckets.ts';

/**
 * Creates the buckets, makes sure that they and MongoDB belong to one installation, and sets their
 * policies.
 */
export async function setupImages(s3: Config['s3'], stores: Stores, adopt?: string): Promise<void> {
  await using images = createImageStore(s3);
  const names = { inputs: s3.inputsBucket, results: s3.resultsBucket };
  await setupBuckets(s3, () => identifyBuckets({ stores, images, names, adopt }));
}
