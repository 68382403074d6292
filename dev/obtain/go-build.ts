import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { cacheInto, executable, type Make, type Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import type { GoModule, Program } from './versions.ts';

/** Smaller by their symbols, and without paths of this machine. */
const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

/**
 * Builds a program with the installed Go, which takes minutes on a small machine. Go verifies every
 * module against the checksum database, so no digest is pinned here
 * (https://go.dev/ref/mod#checksum-database).
 */
export function goBuild(slot: Slot, program: Program, env: NodeJS.ProcessEnv): Strategy {
  const { goModule, proof } = program;
  const [name, build] = goModule
    ? ['go build', inOwnModule(program.goPackage, goModule, env)]
    : ['go install', installed(program, env)];
  const make: Make = (folder, task) => {
    task.report('building from source');
    return build(folder, task);
  };
  return cacheInto(slot, name, make, executable({ proof }));
}

function installed({ goPackage, release }: Program, env: NodeJS.ProcessEnv): Make {
  return async (folder, { signal }) => {
    const args = ['install', ...FLAGS, `${goPackage}@${release}`];
    await runCommand('go', args, { signal, cwd: folder, env: { ...env, GOBIN: folder } });
    // Go names it after the last element of the path that is not a major version.
    return join(folder, basename(goPackage.replace(/\/v\d+$/, '')));
  };
}

/** Without the version in go.mod, Go would load the modules of all versions ever required. */
function inOwnModule(goPackage: string, { path, version, tags }: GoModule, env: NodeJS.ProcessEnv): Make {
  return async (folder, { signal }) => {
    writeFileSync(join(folder, 'go.mod'), `module build\n\ngo 1.25.0\n\nrequire ${path} ${version}\n`);
    const file = join(folder, basename(goPackage));
    const args = ['build', '-mod=mod', '-tags', tags, ...FLAGS, '-o', file, goPackage];
    await runCommand('go', args, { signal, cwd: folder, env });
    return file;
  };
}
