import { open, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { imageType } from '../node.ts';
import { readPhoto, readPhotoInside } from '../photo-file.ts';
import { resultPath } from '../result-path.ts';
import { photosBelow } from './photos-below.ts';
import { realPath } from './real-path.ts';
import { UsageError } from './usage.ts';

/** A photo and where its result goes. */
export interface Photo {
  input: string;
  output: string;
  /**
   * The real path of the folder in which it was found. Undefined for a photo that was named itself.
   */
  foundIn?: string | undefined;
}

export interface Photos {
  photos: Photo[];
  /** The folder of the results, if there may be several. */
  folder: string | undefined;
  /** The real path of the folder that all results stay in. */
  within: string;
  /** Files that are not edited, each with the reason. */
  leftOut: string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/**
 * The photos of a command: the named files, and all photos in the named folders and below.
 * @throws {UsageError} for a path that does not exist, and for results that would overwrite each
 * other or a photo
 */
export async function findPhotos(
  inputs: readonly string[],
  { tool, output }: { tool: string; output: string | undefined },
): Promise<Photos> {
  const kinds = await Promise.all(inputs.map(existingKind));
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1 && kinds[0] === 'file' && !(await isFolder(output))) {
    const photo = { input: only, output: output ?? resultPath(only, tool) };
    await checkOutputs([photo]);
    if (output !== undefined) await checkFormat(photo);
    const within = await realPath(dirname(photo.output));
    return { photos: [photo], folder: undefined, within, leftOut: [] };
  }
  if (output === undefined) throw new UsageError('-o FOLDER is missing: where the results go.');
  if ((await kindOf(output)) === 'file')
    throw new UsageError(`${output} is a file; for several photos, -o names a folder.`);
  const folder = resolve(output);
  const within = await realPath(folder);
  const leftOut: string[] = [];
  const found = await Promise.all(
    inputs.map(async (input, index): Promise<Photo[]> => {
      if (kinds[index] === 'file') return [{ input, output: join(folder, basename(input)) }];
      const foundIn = await realPath(input);
      const paths = await photosIn({ input, foundIn, results: within, leftOut });
      return paths.map((path) => ({ input: path, output: join(folder, relative(input, path)), foundIn }));
    }),
  );
  const photos = found.flat();
  if (photos.length === 0)
    throw new UsageError([`There is no JPEG, PNG or WebP in ${inputs.join(', ')}.`, ...leftOut].join(' '));
  await checkOutputs(photos);
  return { photos, folder, within, leftOut };
}

/** The bytes of a photo. @throws for a file that is no photo */
export async function readInput({ input, foundIn }: Photo): Promise<Uint8Array<ArrayBuffer>> {
  if (foundIn !== undefined) return (await readPhotoInside(input, [foundIn])).bytes;
  await using file = await open(input);
  return await readPhoto(file, basename(input));
}

interface Search {
  input: string;
  foundIn: string;
  results: string;
  leftOut: string[];
}

function photosIn({ input, foundIn, results, leftOut }: Search): Promise<string[]> {
  return photosBelow(input, {
    isPhoto: (name) => extname(name).toLowerCase() in TYPES,
    root: foundIn,
    results,
    leaveOut: (path, reason) => leftOut.push(`${path}: not edited, ${reason}`),
  });
}

const kindOf = (path: string) =>
  stat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => undefined,
  );

async function existingKind(path: string): Promise<'file' | 'folder'> {
  const kind = await kindOf(path);
  if (kind === undefined) throw new UsageError(`${path} does not exist.`);
  return kind;
}

/** A folder that exists, or a path that ends like a folder and will be created. */
const isFolder = async (path: string | undefined) =>
  path !== undefined && (/[/\\]$/.test(path) || (await kindOf(path)) === 'folder');

/** Compares the files that two paths lead to, through links. */
async function checkOutputs(photos: readonly Photo[]): Promise<void> {
  const inputs = new Set(await Promise.all(photos.map(({ input }) => realPath(input))));
  const taken = new Map<string, string>();
  for (const { input, output } of photos) {
    const path = await realPath(output);
    const other = taken.get(path);
    if (other !== undefined) throw new UsageError(`${other} and ${input} would both become ${output}.`);
    if (inputs.has(path)) throw new UsageError(`${output} is itself a photo to edit; choose another output.`);
    taken.set(path, input);
  }
}

/** A result has the format of its photo. */
async function checkFormat(photo: Photo): Promise<void> {
  const { input, output } = photo;
  const extension = extname(output).toLowerCase();
  const named = TYPES[extension];
  if (named === undefined || !(await stat(input)).isFile()) return;
  // A file that cannot be read fails later, with its reason, like a photo of a folder.
  const bytes = await readInput(photo).catch(() => undefined);
  const type = bytes && imageType(bytes);
  if (type !== undefined && type !== named)
    throw new UsageError(
      `${input} is ${type}, as its result will be; ${output} must not end with ${extension}.`,
    );
}
