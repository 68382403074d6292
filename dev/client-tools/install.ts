import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { lock } from '../process/lock.ts';

const LOCKFILE = join(import.meta.dirname, 'package-lock.json');
const MODULES = join(import.meta.dirname, 'node_modules');
/** A copy of the lockfile, written when an installation is complete. */
const INSTALLED = join(MODULES, '.installed-lockfile.json');

/**
 * Installs the programs of this folder unless they are there. Of several processes one installs
 * them, and the others wait for it. @returns their node_modules folder
 */
export async function installClientTools(signal: AbortSignal): Promise<string> {
  using _ = await lock(join(import.meta.dirname, '.installing.lock'), signal, () => {});
  if (!isInstalled()) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runCommand('npm', args, { cwd: import.meta.dirname, signal });
    copyFileSync(LOCKFILE, INSTALLED);
  }
  return MODULES;
}

function isInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(LOCKFILE, 'utf8');
}
