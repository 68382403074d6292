import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { resultPath } from '../result-path.ts';
import { UsageError } from './usage.ts';

/** A photo and where its result goes. */
export interface Photo {
  input: string;
  output: string;
}

export interface Photos {
  photos: Photo[];
  /** The folder of the results, if there may be several. */
  folder: string | undefined;
}

const EXTENSIONS = new Set(['.jpg', '.jpeg', '.png', '.webp']);

/**
 * The photos of a command: files as given, and all photos of folders and of the folders in them.
 * @throws {UsageError} for a path that does not exist, and for results that would overwrite each other or a photo
 */
export async function findPhotos(
  inputs: readonly string[],
  { tool, output }: { tool: string; output: string | undefined },
): Promise<Photos> {
  const kinds = await Promise.all(inputs.map(kindOf));
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1 && kinds[0] === 'file' && !(await isFolder(output))) {
    const photo = { input: only, output: output ?? resultPath(only, tool) };
    checkOutputs([photo]);
    return { photos: [photo], folder: undefined };
  }
  if (output === undefined) throw new UsageError('-o FOLDER is missing: where the results go.');
  const folder = resolve(output);
  const found = await Promise.all(
    inputs.map(async (input, index) =>
      kinds[index] === 'file'
        ? [{ input, output: join(folder, basename(input)) }]
        : (await photosBelow(input, folder)).map((path) => ({
            input: path,
            output: join(folder, relative(input, path)),
          })),
    ),
  );
  const photos = found.flat();
  if (photos.length === 0) throw new UsageError(`There is no JPEG, PNG or WebP in ${inputs.join(', ')}.`);
  checkOutputs(photos);
  return { photos, folder };
}

async function kindOf(path: string): Promise<'file' | 'folder'> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${path} does not exist.`);
  return found.isDirectory() ? 'folder' : 'file';
}

const isFolder = async (path: string | undefined) =>
  path !== undefined && (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Leaves out hidden files and the folder of the results. */
async function photosBelow(folder: string, results: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.') && resolve(folder, name) !== results)
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return photosBelow(path, results);
        return entry.isFile() && EXTENSIONS.has(extname(path).toLowerCase()) ? [path] : [];
      }),
  );
  return found.flat().sort();
}

function checkOutputs(photos: readonly Photo[]): void {
  const inputs = new Set(photos.map(({ input }) => resolve(input)));
  const taken = new Map<string, string>();
  for (const { input, output } of photos) {
    const path = resolve(output);
    const other = taken.get(path);
    if (other !== undefined) throw new UsageError(`${other} and ${input} would both become ${output}.`);
    if (inputs.has(path)) throw new UsageError(`${output} is itself a photo to edit; choose another output.`);
    taken.set(path, input);
  }
}
