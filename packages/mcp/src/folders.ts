import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The folders whose files may be read and written at this moment. */
export type Folders = () => Promise<string[]>;

/**
 * The real path of a file that may be read.
 * @throws when it is outside of all folders, also by a symbolic link
 */
export async function readablePath(path: string, folders: Folders): Promise<string> {
  const { absolute, allowed } = await locate(path, folders);
  return inside(await found(absolute), allowed, path);
}

/**
 * The real path of a file that may be created; its folder exists.
 * @throws when it is outside of all folders, also by a symbolic link
 */
export async function writablePath(path: string, folders: Folders): Promise<string> {
  const { absolute, allowed } = await locate(path, folders);
  const folder = inside(await found(dirname(absolute)), allowed, path);
  return join(folder, basename(absolute));
}

/** The check of the path as written comes first, so that nothing outside is looked for. */
async function locate(path: string, folders: Folders) {
  const given = await folders();
  const [first] = given;
  if (first === undefined)
    throw new Error('No folder may be used: name folders in IMAGE_JOB_DIRS, or as roots of the client.');
  const real = await Promise.all(given.map((folder) => realpath(folder).catch(() => undefined)));
  const allowed = real.filter((folder) => folder !== undefined);
  const absolute = isAbsolute(path) ? resolve(path) : resolve(first, path);
  inside(absolute, [...given.map((folder) => resolve(folder)), ...allowed], path);
  return { absolute, allowed };
}

async function found(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new Error(`${path} does not exist, or may not be read.`, { cause });
  }
}

function inside(path: string, folders: readonly string[], asked: string): string {
  if (folders.some((folder) => contains(folder, path))) return path;
  throw new Error(`${asked} is outside of the folders that may be used: ${folders.join(', ')}.`);
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
