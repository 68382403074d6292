import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { checkInside } from 'image-job/node';

/** The folders whose files may be read and written at this moment. */
export type Folders = () => Promise<string[]>;

interface Located {
  /** The path, made absolute from the first folder. */
  absolute: string;
  /** The real paths of the folders. No link may lead out of them. */
  allowed: string[];
}

/**
 * Checks the path as it is written, before the file system is asked about it.
 * @throws when it is outside of all folders
 */
export async function locate(path: string, folders: Folders): Promise<Located> {
  const given = await folders();
  const [first] = given;
  if (first === undefined)
    throw new Error('No folder may be used: name folders in IMAGE_JOB_DIRS, or as roots of the client.');
  const real = await Promise.all(given.map((folder) => realpath(folder).catch(() => undefined)));
  const allowed = real.filter((folder) => folder !== undefined);
  const absolute = isAbsolute(path) ? resolve(path) : resolve(first, path);
  checkInside(absolute, [...given.map((folder) => resolve(folder)), ...allowed], path);
  return { absolute, allowed };
}

/**
 * The real path of a file that may be created; its folder exists.
 * @throws when it is outside of all folders, also by a symbolic link
 */
export async function writablePath(path: string, folders: Folders): Promise<string> {
  const { absolute, allowed } = await locate(path, folders);
  const folder = await existing(path, () => realpath(dirname(absolute)));
  checkInside(folder, allowed, path);
  return join(folder, basename(absolute));
}

/** Hides the file system's error, which may name other paths than the caller's. */
export async function existing<T>(path: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new Error(`${path} does not exist, or may not be read.`, { cause });
  }
}
