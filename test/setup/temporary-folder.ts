import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that is deleted after the test. */
export const temporaryFolder = () => folderUntil(onTestFinished);

/** A folder that is deleted after the last test of the file. */
export const folderOfFile = () => folderUntil(afterAll);

function folderUntil(end: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-job-api-'));
  end(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
