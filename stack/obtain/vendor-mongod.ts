import { getOS } from 'mongodb-memory-server-core/lib/util/getos/index.js';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

export function vendorMongod(slot: Slot): Strategy {
  return kept(slot, 'vendor download', async (folder, task) =>
    fromArchive(await mongodArchive(), 'mongod', folder, task),
  );
}

/** The vendor has an archive per distribution; which one fits is known to mongodb-memory-server-core. */
export async function mongodArchive({ platform, arch } = process): Promise<string> {
  const version = versions.mongod.release;
  return new MongoBinaryDownloadUrl({
    platform,
    arch,
    version,
    os: await getOS(),
  }).getDownloadUrl();
}
