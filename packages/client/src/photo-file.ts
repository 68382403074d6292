import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { imageType } from './image.ts';
import { openInside } from './inside.ts';

/** The service refuses larger photos. */
const LARGEST = 20 * 1024 * 1024;

/**
 * Reads a photo. Its real path must be in one of the folders.
 * @param folders real paths
 * @throws for a path outside of the folders, and for a file that is no photo
 */
export async function readPhotoInside(path: string, folders: readonly string[]) {
  await using opened = await openInside(path, folders);
  const name = basename(opened.path);
  if (!(await opened.handle.stat()).isFile()) throw new Error(`${name} is no file.`);
  return { path: opened.path, bytes: await readPhoto(opened.handle, name) };
}

/**
 * Reads a photo from an open file or pipe.
 * @throws for bytes that are no photo: they must not be sent
 */
export async function readPhoto(file: FileHandle, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const isTooLarge = (size: number) => size > LARGEST;
  const bytes = isTooLarge((await file.stat()).size) ? undefined : await file.readFile();
  if (bytes === undefined || isTooLarge(bytes.length)) throw new Error(`${name} is larger than 20 MB.`);
  if (imageType(bytes) === undefined) throw new Error(`${name} is no JPEG, PNG or WebP.`);
  return bytes;
}
