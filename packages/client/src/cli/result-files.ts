import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

/** A result that was paid for could not be written, so no other is asked for. */
export class WriteError extends Error {
  override readonly name = 'WriteError';
}

/** Whether there is a file that can be a result; an empty one is what a full disk has left. */
export const hasResult = (output: string): Promise<boolean> =>
  stat(output).then(
    (found) => found.isFile() && found.size > 0,
    () => false,
  );

/**
 * Writes and removes a file where the result goes, before anything is charged for it.
 * @throws when no result can be written there
 */
export async function checkWritable(output: string): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  const found = await stat(output).catch(ignoreMissing);
  if (found !== undefined && !found.isFile()) throw new Error(`${output} exists and is not a file.`);
  const trial = partBeside(output);
  await writeFile(trial, 'x', { flag: 'wx' });
  await rm(trial);
}

/**
 * A job has one result; of several, the others are numbered. A file is there as a whole or not at all.
 * @throws {WriteError}
 */
export async function writeResults(output: string, images: readonly Blob[]): Promise<void> {
  const extension = extname(output);
  const start = output.slice(0, output.length - extension.length);
  try {
    for (const [index, image] of images.entries())
      await writeWhole(index === 0 ? output : `${start}-${index + 1}${extension}`, image);
  } catch (cause) {
    throw new WriteError(`${output} was not written: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

async function writeWhole(path: string, image: Blob): Promise<void> {
  const part = partBeside(path);
  try {
    await writeFile(part, image.stream(), { flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Of one run alone, however many write the same result; hidden, so that it is no photo to edit. */
const partBeside = (path: string) => join(dirname(path), `.image-job-${crypto.randomUUID()}.part`);

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
