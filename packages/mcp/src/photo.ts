import { constants, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageType } from 'image-job/node';
import { type Folders, readablePath } from './folders.ts';

/** A photo as the client sends it. */
export interface Photo {
  image: URL | Uint8Array;
  /** Where it is, when it is a file. */
  path: string | undefined;
}

const LARGEST = 20 * 1024 * 1024;
/** A named pipe does not block, and the last part of the path, which was resolved before, is no link. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * @param source a path, a file URL, or a URL that the service fetches
 * @throws for a path outside of the folders, and for a file that is no photo: it is not sent
 */
export async function openPhoto(source: string, folders: Folders): Promise<Photo> {
  if (/^https?:\/\//i.test(source)) return { image: urlOf(source), path: undefined };
  const given = /^file:/i.test(source) ? fileURLToPath(source) : source;
  const path = await readablePath(given, folders);
  const image = await readImage(path);
  if (imageType(image) === undefined) throw new Error(`${basename(path)} is no JPEG, PNG or WebP.`);
  return { image, path };
}

function urlOf(source: string): URL {
  if (!URL.canParse(source)) throw new Error('image is a URL that cannot be read.');
  return new URL(source);
}

async function readImage(path: string): Promise<Uint8Array> {
  await using file = await open(path, FLAGS);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error(`${basename(path)} is no file.`);
  if (stats.size > LARGEST) throw new Error(`${basename(path)} is larger than 20 MB.`);
  return file.readFile();
}
