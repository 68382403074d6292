import { randomUUID } from 'node:crypto';
import { markOf } from '../../lib/domain/installation.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';

/** Makes the stores and the buckets those of a new installation. @returns its id */
export async function newInstallation(stores: Stores, images: ImageStore): Promise<string> {
  const id = await stores.settings.claimInstallation(randomUUID());
  for (const bucket of ['inputs', 'results'] as const) await images.setMark(bucket, markOf(id, bucket));
  return id;
}
