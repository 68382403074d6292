import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { x as extract } from 'tar';
import { cacheInto, executable, type Slot } from './cache.ts';
import type { Strategy, Task } from './chain.ts';
import { download } from './download.ts';
import type { Wanted } from './on-path.ts';
import { type Archive, type Archives, pinnedFor } from './versions.ts';

/** Downloads the vendor's release archive, if its digest is pinned for this machine. */
export function vendorDownload(
  slot: Slot,
  { archives, proof }: Pick<Wanted, 'proof'> & { archives: Archives },
): Strategy {
  return cacheInto(
    slot,
    'vendor download',
    async (folder, task) => {
      const archive = pinnedFor(archives);
      if (!archive) throw new Error(`no digest is pinned for ${process.platform} on ${process.arch}`);
      return fromArchive(archive, slot.name, folder, task);
    },
    executable({ proof }),
  );
}

/**
 * Downloads a .tgz, unpacks the file called `name` and resolves to its path.
 * @throws {Error} when the digest is not the pinned one; nothing is unpacked then
 */
export async function fromArchive(
  archive: Archive,
  name: string,
  folder: string,
  task: Task,
): Promise<string> {
  const file = join(folder, 'archive.tgz');
  await download(archive, file, task);
  task.report('unpacking');
  // node-tar never writes outside of `cwd`: it makes absolute paths relative and refuses `..`.
  await extract({
    file,
    cwd: folder,
    filter: (path, entry) => 'type' in entry && entry.type === 'File' && basename(path) === name,
  });
  return findFile(folder, name);
}

/** Finds a file by its name, in the folder or below. @throws {Error} when there is none */
export function findFile(folder: string, name: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === name,
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  return join(found.parentPath, found.name);
}
