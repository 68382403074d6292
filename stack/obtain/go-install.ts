import { join } from 'node:path';
import { runCommand } from '../run/command.ts';
import { versions } from '../versions.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

/**
 * Builds the server with the machine's Go. Takes minutes on a small machine. Go itself holds every module to the
 * checksum database, so that no digest has to be pinned here (https://go.dev/ref/mod#checksum-database).
 */
export function goInstall(slot: Slot, name: 'temporal' | 'versitygw', env: NodeJS.ProcessEnv): Strategy {
  const { goPackage, release } = versions[name];
  return kept(slot, 'go install', async (folder, { signal, report }) => {
    report('building from source');
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `${goPackage}@${release}`];
    await runCommand('go', args, { signal, cwd: folder, env: { ...env, GOBIN: folder } });
    return join(folder, name);
  });
}
