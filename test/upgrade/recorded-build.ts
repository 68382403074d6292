import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** A build of an earlier version, which record.ts writes. */
export const RECORDED_BUILD = join(import.meta.dirname, 'build.tar.gz');

/** Unpacks the build into a folder that is deleted after the test; it runs with today's packages. @returns the folder */
export async function unpackRecordedBuild(): Promise<string> {
  const folder = temporaryFolder();
  await extract({ file: RECORDED_BUILD, cwd: folder });
  symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
