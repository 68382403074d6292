import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import type { Slot } from './cache.ts';
import { cacheInto } from './cache-into.ts';
import type { Strategy } from './chain.ts';
import { versions } from './versions.ts';

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
