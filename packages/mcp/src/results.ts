import { lstat, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, parse } from 'node:path';
import { inFolder, resultPath } from 'image-job/node';
import { type Folders, locate, writablePath } from './folders.ts';
import type { Photo } from './photo.ts';

/** Saves a result. @returns the path */
export type Save = (result: Blob) => Promise<string>;

const EXTENSIONS = new Set(['.jpg', '.jpeg', '.png', '.webp']);
const MOST_NAMES = 100;

/**
 * Decides where a result goes, before anything is charged: to `output`, else next to the photo. No
 * file is overwritten.
 * @returns undefined for a photo by URL without `output`, whose result is only linked
 * @throws for a path outside of the folders, and when `output` exists
 */
export async function planSave(
  { photo, output, tool }: { photo: Photo; output: string | undefined; tool: string },
  folders: Folders,
): Promise<Save | undefined> {
  if (output !== undefined) return saving(await freePath(output, folders), 1, folders);
  if (photo.path === undefined) return undefined;
  return saving(await writablePath(resultPath(photo.path, tool), folders), MOST_NAMES, folders);
}

async function freePath(output: string, folders: Folders): Promise<string> {
  const path = await writablePath(output, folders);
  if (!EXTENSIONS.has(extname(path).toLowerCase()))
    throw new Error(`output must end with ${[...EXTENSIONS].join(', ')}.`);
  if (await exists(path)) throw new Error(`${basename(path)} exists already; choose another output.`);
  return path;
}

/**
 * Checks the folder again. Minutes have passed since the plan: a link may lead elsewhere by now.
 */
const saving =
  (path: string, names: number, folders: Folders): Save =>
  async (result) => {
    try {
      const { allowed } = await locate(path, folders);
      return await inFolder(dirname(path), allowed, async (folder) => {
        const name = await saveIn(folder.held, { path, names, result });
        return join(folder.path, name);
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `The result was not saved; the same call with another output is not charged again. ${reason}`,
        { cause },
      );
    }
  };

interface Saving {
  path: string;
  /** How many names are tried. `photo.declutter-2.jpg` is the second. */
  names: number;
  result: Blob;
}

/** @returns the first name that is free */
async function saveIn(folder: string, { path, names, result }: Saving): Promise<string> {
  const { name, ext, base } = parse(path);
  for (let number = 1; number <= names; number += 1) {
    const free = number === 1 ? base : `${name}-${number}${ext}`;
    if (await writeNew(join(folder, free), result)) return free;
  }
  throw new Error(`${base}${names > 1 ? ` and ${names - 1} more exist` : ' exists'} by now.`);
}

/** @returns false when a file or a link of this name exists */
async function writeNew(path: string, result: Blob): Promise<boolean> {
  try {
    await writeFile(path, result.stream(), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    // A part of a result would look like a result.
    await rm(path, { force: true });
    throw error;
  }
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
