import downloadUrl from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

/** The vendor has an archive per distribution; which one fits is known to mongodb-memory-server-core. */
export function vendorMongod(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) => {
    const { platform, arch } = process;
    const archive = new downloadUrl.MongoBinaryDownloadUrl({
      platform,
      arch,
      version: versions.mongod.release,
    });
    return fromArchive(await archive.getDownloadUrl(), 'mongod', folder, task);
  });
}
