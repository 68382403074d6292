import { lstat, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join, parse } from 'node:path';
import { resultPath } from 'image-job/node';
import { type Folders, writablePath } from './folders.ts';
import type { Photo } from './photo.ts';

/** Saves a result. @returns the path */
export type Save = (result: Blob) => Promise<string>;

const EXTENSIONS = new Set(['.jpg', '.jpeg', '.png', '.webp']);
const MOST_NAMES = 100;

/**
 * Decides where a result goes, before anything is charged: to `output`, else next to the photo. No file is overwritten.
 * @returns undefined for a photo by URL without `output`, whose result is only linked
 * @throws for a path outside of the folders, and when `output` exists
 */
export async function planSave(
  { photo, output, tool }: { photo: Photo; output: string | undefined; tool: string },
  folders: Folders,
): Promise<Save | undefined> {
  if (output !== undefined) return saveAs(await freePath(output, folders));
  if (photo.path === undefined) return undefined;
  const path = await writablePath(resultPath(photo.path, tool), folders);
  return (result) => saveBeside(path, result);
}

async function freePath(output: string, folders: Folders): Promise<string> {
  const path = await writablePath(output, folders);
  if (!EXTENSIONS.has(extname(path).toLowerCase()))
    throw new Error(`output must end with ${[...EXTENSIONS].join(', ')}.`);
  if (await exists(path)) throw new Error(`${basename(path)} exists already; choose another output.`);
  return path;
}

const saveAs =
  (path: string): Save =>
  async (result) => {
    if (await writeNew(path, result)) return path;
    throw new Error(`${basename(path)} exists by now; choose another output. The job is not charged again.`);
  };

/** A result of another job may have the name: `photo.declutter-2.jpg` is the second. */
async function saveBeside(path: string, result: Blob): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let number = 1; number <= MOST_NAMES; number += 1) {
    const free = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    if (await writeNew(free, result)) return free;
  }
  throw new Error(`${basename(path)} and ${MOST_NAMES - 1} more exist already; choose an output.`);
}

/** @returns false when the file exists, also as a link */
async function writeNew(path: string, result: Blob): Promise<boolean> {
  try {
    await writeFile(path, result.stream(), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    // A part of a result would look like one.
    await rm(path, { force: true });
    throw error;
  }
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
