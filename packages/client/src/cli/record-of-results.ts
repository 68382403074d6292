import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Remembers which results a folder has, so that a repeated command asks the service nothing about them. */
export interface Results {
  /** Whether this result was written for this key. */
  has(output: string, key: string): boolean;
  add(output: string, key: string): Promise<void>;
}

const NAME = '.image-job.jsonl';

/**
 * Opens the record of a folder: a line per result, the latest one counts. Losing it costs requests, never a charge,
 * because the keys are derived from the photos.
 */
export async function openResults(folder: string): Promise<Results> {
  const file = join(folder, NAME);
  await mkdir(folder, { recursive: true });
  const text = await readFile(file, 'utf8').catch(() => '');
  const keys = new Map(text.split('\n').flatMap(entryOf));
  return {
    has: (output, key) => keys.get(output) === key,
    async add(output, key) {
      keys.set(output, key);
      await appendFile(file, `${JSON.stringify([output, key])}\n`);
    },
  };
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
