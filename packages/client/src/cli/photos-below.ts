import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../inside.ts';
import { realPath } from './real-path.ts';
import { RECORD_NAME } from './record-of-results.ts';

interface Search {
  isPhoto(name: string): boolean;
  /** The real path of the folder that is searched. */
  root: string;
  /** The real path of the folder of the results. */
  results: string;
  leaveOut(path: string, reason: string): void;
}

/**
 * The photos of a folder and of the folders in it, without hidden files. Results are no photos:
 * folders with the record of an earlier command are left out.
 */
export async function photosBelow(folder: string, search: Search): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  const found = await Promise.all(visible.map((entry) => photosOf(entry, join(folder, entry.name), search)));
  return found.flat().sort();
}

async function photosOf(entry: Dirent, path: string, search: Search): Promise<string[]> {
  if (entry.isDirectory()) return photosOfFolder(path, search);
  const isPhoto = search.isPhoto(entry.name);
  if (!entry.isSymbolicLink()) return entry.isFile() && isPhoto ? [path] : [];
  const target = await stat(path).catch(() => undefined);
  const real = await realPath(path);
  if (target?.isFile() && isPhoto) {
    if (isInside(real, search.root)) return [path];
    search.leaveOut(path, 'because it is a link that leaves the folder; name it to edit it.');
  }
  if (target?.isDirectory() && real !== search.results)
    search.leaveOut(path, 'because it is a link to a folder; name it to edit its photos.');
  if (target === undefined && isPhoto) search.leaveOut(path, 'because it is a link to nothing.');
  return [];
}

async function photosOfFolder(path: string, search: Search): Promise<string[]> {
  if ((await realPath(path)) === search.results) return [];
  const hasRecord = await stat(join(path, RECORD_NAME)).catch(() => undefined);
  if (hasRecord === undefined) return photosBelow(path, search);
  search.leaveOut(path, 'because it has results of an earlier run; name it to edit them.');
  return [];
}
