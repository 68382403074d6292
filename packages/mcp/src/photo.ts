import { fileURLToPath } from 'node:url';
import { readPhotoInside } from 'image-job/node';
import { existing, type Folders, locate } from './folders.ts';

/** A photo as the client sends it. */
export interface Photo {
  image: URL | Uint8Array;
  /** The path, if the photo is a file. */
  path: string | undefined;
}

/** The limit of the service. */
const LONGEST_URL = 2000;

/**
 * @param source a path, a file URL, or a URL that the service fetches
 * @throws for a path outside of the folders, and for a file that is no photo
 */
export async function openPhoto(source: string, folders: Folders): Promise<Photo> {
  if (/^https?:\/\//i.test(source)) return { image: urlOf(source), path: undefined };
  const given = /^file:/i.test(source) ? fileURLToPath(source) : source;
  const { absolute, allowed } = await locate(given, folders);
  const { bytes, path } = await existing(given, () => readPhotoInside(absolute, allowed));
  return { image: bytes, path };
}

function urlOf(source: string): URL {
  if (!URL.canParse(source)) throw new Error('image is a URL that cannot be read.');
  const url = new URL(source);
  // The user who is asked about the URL may take a user name for the host.
  if (`${url.username}${url.password}` !== '') throw new Error('image must have no user name or password.');
  if (url.href.length > LONGEST_URL) throw new Error(`image is longer than ${LONGEST_URL} characters.`);
  return url;
}
