import { constants, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import process from 'node:process';

/** An open file or folder. */
interface Place {
  /** Its real path. */
  path: string;
  /**
   * A path that leads to it even if `path` is replaced. The same as `path` on systems without such
   * paths.
   */
  held: string;
}

interface Opened extends Place, AsyncDisposable {
  handle: FileHandle;
}

/**
 * Has a link for each open file, on Linux only. On other systems any user may create this folder.
 */
const DESCRIPTORS = process.platform === 'linux' ? '/proc/self/fd' : undefined;

/**
 * Do not block on a named pipe, and follow no link. Windows has neither constant: they count as 0.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * @param asked the path as the caller knows it
 * @throws when a path is in none of the folders
 */
export function checkInside(path: string, folders: readonly string[], asked: string): void {
  if (folders.some((folder) => isInside(path, folder))) return;
  throw new Error(`${asked} is outside of the folders that may be used: ${folders.join(', ')}.`);
}

/**
 * Opens a file or a folder to read it. No link may lead out of the folders, even if links change
 * meanwhile: the open file is checked, not its path.
 * @param folders real paths
 */
export async function openInside(path: string, folders: readonly string[]): Promise<Opened> {
  const real = await realpath(path);
  checkInside(real, folders, path);
  const handle = await open(real, FLAGS);
  try {
    const place = await placeOf(handle, real, DESCRIPTORS);
    checkInside(place.path, folders, path);
    return { ...place, handle, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Linux tells the path of an open file. On other systems the path is looked up again. There an
 * attacker who changes links all the time can win the moment after this look-up.
 */
export async function placeOf(
  handle: FileHandle,
  real: string,
  descriptors: string | undefined,
): Promise<Place> {
  if (descriptors !== undefined) {
    const held = `${descriptors}/${handle.fd}`;
    const path = await readlink(held).catch(() => undefined);
    if (path !== undefined) return { path, held };
  }
  const again = await realpath(real);
  const opened = await handle.stat({ bigint: true });
  const there = await lstat(again, { bigint: true });
  if (opened.dev === there.dev && opened.ino === there.ino) return { path: again, held: again };
  throw new Error(`${real} was replaced while it was opened.`);
}

/**
 * Runs `use` with a path that leads to the files of a folder, even if the folder is replaced
 * meanwhile.
 * @param folders real paths, in one of which the folder must be
 */
export async function inFolder<T>(
  path: string,
  folders: readonly string[],
  use: (folder: Place) => Promise<T>,
): Promise<T> {
  await using folder = await openInside(path, folders);
  if (!(await folder.handle.stat()).isDirectory()) throw new Error(`${path} is no folder.`);
  try {
    return await use(folder);
  } catch (error) {
    // A person knows the folder by its path.
    if (error instanceof Error && error.message.includes(folder.held))
      error.message = error.message.replaceAll(folder.held, folder.path);
    throw error;
  }
}
