import { delimiter, dirname, join } from 'node:path';
import { isExecutable, proveRuns, runCommand } from '../process/command.ts';
import { privateFolder } from '../process/private-folder.ts';
import { fromArchive } from './archive.ts';
import type { Slot } from './cache.ts';
import { type Content, cacheInto, executable } from './cache-into.ts';
import type { Strategy } from './chain.ts';
import { pinnedFor } from './machine.ts';
import type { Archives, Program } from './versions.ts';

/** An executable of this name on PATH; if a release is named, only of that one. */
export function onPath(
  name: string,
  env: NodeJS.ProcessEnv,
  wanted?: Pick<Program, 'release' | 'proof'>,
): Strategy {
  return {
    name: 'on PATH',
    attempt: async ({ signal }) => {
      const found = (env.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name))
        .find(isExecutable);
      if (!found) throw new Error(`no executable named ${name}`);
      if (!wanted) return proveRuns(found, signal);
      const output = await runCommand(found, wanted.proof ?? ['--version'], { signal });
      const version = /\d{1,4}\.\d{1,4}\.\d{1,4}[^\s,)]{0,40}/.exec(output)?.[0];
      const release = version === undefined ? 'of no known version' : `v${version}`;
      if (release !== wanted.release) throw new Error(`${found} is ${release}, not ${wanted.release}`);
      return found;
    },
  };
}

/** What an earlier start cached. Makes sure that other users cannot write to the cache folder. */
export function cached(slot: Slot, { isComplete }: Content = executable()): Strategy {
  return {
    name: 'cached',
    attempt: async () => {
      if (!isComplete(slot.binary)) throw new Error(`nothing at ${slot.binary}`);
      privateFolder(dirname(slot.folder));
      return slot.binary;
    },
  };
}

/** Downloads the vendor's release archive, if its digest is pinned for this machine. */
export function vendorDownload(
  slot: Slot,
  { archives, proof }: { archives: Archives; proof?: Program['proof'] },
): Strategy {
  return cacheInto(
    slot,
    'vendor download',
    async (folder, task) => {
      const archive = pinnedFor(archives);
      if (!archive) throw new Error(`no digest is pinned for ${process.platform} on ${process.arch}`);
      return fromArchive(archive, slot.name, folder, task);
    },
    executable(proof),
  );
}
