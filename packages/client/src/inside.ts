import { constants, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import process from 'node:process';

/** Where something that is open lies. */
interface Place {
  /** Its real path. */
  path: string;
  /** Leads to it, whatever takes its path meanwhile; the same as `path` where the system has no such paths. */
  held: string;
}

interface Opened extends Place, AsyncDisposable {
  handle: FileHandle;
}

/** Has a link for each file that is open. Elsewhere anybody may make such a folder: Windows lets all users do so. */
const DESCRIPTORS = process.platform === 'linux' ? '/proc/self/fd' : undefined;

/** A named pipe does not block, and a link is not followed. Windows has neither constant: they count as 0. */
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
 * Opens a file or a folder to read it. Links may lead there, but not out of the folders, also not when they change
 * meanwhile: what was opened is checked, not its path.
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
 * Linux says where an open file lies. Elsewhere its path must lead to it again, which leaves an attacker who changes
 * links all the time the moment after this look.
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
 * Runs `use` with a path of a folder under which its files are reached, even when the folder is replaced meanwhile.
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
