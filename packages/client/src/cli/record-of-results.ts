import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './usage.ts';

/** Remembers which results a folder has, so that a repeated command asks the service nothing about them. */
export interface Results {
  /** Whether this result was written for this key. */
  has(output: string, key: string): boolean;
  add(output: string, key: string): Promise<void>;
}

/** Marks a folder as one of results. */
export const RECORD_NAME = '.image-job.jsonl';

/**
 * Opens the record of a folder: a line per result, the latest one counts. Losing it costs requests, never a charge,
 * because the keys are derived from the photos.
 * @throws {UsageError} when the folder cannot be written
 */
export async function openResults(folder: string): Promise<Results> {
  const file = join(folder, RECORD_NAME);
  await createIn(folder, file);
  const text = await readFile(file, 'utf8').catch(() => '');
  const keys = new Map(text.split('\n').flatMap(entryOf));
  return {
    has: (output, key) => keys.get(output) === key,
    async add(output, key) {
      keys.set(output, key);
      // The result is there, and charged: it does not fail for a line about it.
      await appendFile(file, `${JSON.stringify([output, key])}\n`).catch(() => undefined);
    },
  };
}

async function createIn(folder: string, file: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await appendFile(file, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${folder} cannot have results: ${reason}`);
  }
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
