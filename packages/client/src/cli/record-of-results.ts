import { constants, type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { inFolder } from '../inside.ts';
import { UsageError } from './usage.ts';

/** Remembers the results of a folder, so that a repeated command needs no requests for them. */
export interface Results extends AsyncDisposable {
  /** Whether this result was written for this key. */
  has(output: string, key: string): boolean;
  add(output: string, key: string): Promise<void>;
}

/** Marks a folder of results. */
export const RECORD_NAME = '.image-job.jsonl';

/** The size of about 200,000 lines. */
const LARGEST = 64 * 1024 * 1024;

/**
 * The folder may have a link or a named pipe there. Windows lacks the last two constants: they
 * count as 0.
 */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens the record of a folder. It has a line for each result, and the last line of a result
 * counts. Losing the record costs requests, never a charge, because the keys are derived from the
 * photos.
 * @param within real path of the folder
 * @throws {UsageError} when the folder cannot be written, or the record is no plain file
 */
export async function openResults(folder: string, within: string): Promise<Results> {
  const file = await openRecord(folder, within);
  const text = await read(file);
  const keys = new Map(text.split('\n').flatMap(entryOf));
  return {
    has: (output, key) => keys.get(output) === key,
    async add(output, key) {
      keys.set(output, key);
      // The result is written and charged. A missing line must not make it fail.
      await file.write(`${JSON.stringify([output, key])}\n`).catch(() => undefined);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function openRecord(folder: string, within: string): Promise<FileHandle> {
  try {
    await mkdir(folder, { recursive: true });
    return await inFolder(folder, [within], ({ held }) => openPlain(join(held, RECORD_NAME)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${folder} cannot have results: ${reason}`);
  }
}

/** All reads and writes use this handle, so the checked file is the written file. */
async function openPlain(path: string): Promise<FileHandle> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) throw new Error(`${RECORD_NAME} is a link; remove it.`);
  const file = await open(path, FLAGS);
  const opened = await file.stat();
  if (opened.isFile() && opened.nlink <= 1) return file;
  await file.close();
  throw new Error(`${RECORD_NAME} is no plain file with one name; remove it.`);
}

async function read(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  return size > LARGEST ? '' : file.readFile('utf8').catch(() => '');
}

/** A line may be cut off where a run was killed. */
function entryOf(line: string): [string, string][] {
  try {
    const [output, key] = JSON.parse(line);
    return [[String(output), String(key)]];
  } catch {
    return [];
  }
}
