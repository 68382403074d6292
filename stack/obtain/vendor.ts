import { type Archive, type ServerName, versions } from '../versions.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';
import { pinnedFor } from './machine.ts';

/** Takes the server out of its vendor's release archive, where the archive's digest is pinned for this machine. */
export function vendorDownload(slot: Slot, name: ServerName): Strategy {
  return kept(slot, 'vendor download', async (folder, task) => {
    const archive = pinnedFor<Archive>(versions[name].archives);
    if (!archive) throw new Error(`no digest is pinned for ${process.platform} on ${process.arch}`);
    return fromArchive(archive, name, folder, task);
  });
}
