import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { x as extract } from 'tar';
import type { Task } from './chain.ts';
import { download } from './download.ts';
import type { Archive } from './versions.ts';

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
