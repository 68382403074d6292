import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { checkInside, inFolder } from '../inside.ts';
import { realPath } from './real-path.ts';

/** A paid result could not be written, so no other job is created. */
export class WriteError extends Error {
  override readonly name = 'WriteError';
}

/** Whether the file can be a result. A full disk leaves an empty file. */
export const hasResult = (output: string): Promise<boolean> =>
  stat(output).then(
    (found) => found.isFile() && found.size > 0,
    () => false,
  );

/**
 * Writes and removes a file at the path of the result, before anything is charged.
 * @param within real path of the folder that no link may lead out of
 * @throws when no result can be written there
 */
export async function checkWritable(output: string, within: string): Promise<void> {
  const path = dirname(output);
  checkInside(await realPath(path), [within], path);
  await mkdir(path, { recursive: true });
  await inFolder(path, [within], async ({ held }) => {
    const found = await stat(join(held, basename(output))).catch(ignoreMissing);
    if (found !== undefined && !found.isFile()) throw new Error(`${output} exists and is not a file.`);
    const trial = partIn(held);
    await writeFile(trial, 'x', { flag: 'wx' });
    await rm(trial);
  });
}

/**
 * Writes the results of a job. The second gets a number in its name. A file is written as a whole
 * or not at all.
 * @param within real path of the folder that no link may lead out of
 * @throws {WriteError}
 */
export async function writeResults(output: string, within: string, images: readonly Blob[]): Promise<void> {
  const extension = extname(output);
  const start = basename(output, extension);
  try {
    await inFolder(dirname(output), [within], async ({ held }) => {
      for (const [index, image] of images.entries())
        await writeWhole(
          held,
          index === 0 ? `${start}${extension}` : `${start}-${index + 1}${extension}`,
          image,
        );
    });
  } catch (cause) {
    throw new WriteError(`${output} was not written: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

async function writeWhole(folder: string, name: string, image: Blob): Promise<void> {
  const part = partIn(folder);
  try {
    await writeFile(part, image.stream(), { flag: 'wx' });
    await rename(part, join(folder, name));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Unique to this run. Hidden, so that it is not taken for a photo. */
const partIn = (folder: string) => join(folder, `.image-job-${crypto.randomUUID()}.part`);

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
