import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import { cacheInto } from './cache-into.ts';
import type { Strategy } from './chain.ts';
import { pinnedFor } from './machine.ts';
import { type Archive, type ServerName, versions } from './versions.ts';

/** Downloads the vendor's release archive, if its digest is pinned for this machine. */
export function vendorDownload(slot: Slot, name: ServerName): Strategy {
  return cacheInto(slot, 'vendor download', async (folder, task) => {
    const archive = pinnedFor<Archive>(versions[name].archives);
    if (!archive) throw new Error(`no digest is pinned for ${process.platform} on ${process.arch}`);
    return fromArchive(archive, name, folder, task);
  });
}
