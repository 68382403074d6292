import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';

type Options = { signal: AbortSignal; cwd?: string; env?: NodeJS.ProcessEnv };

const MAX_CHARACTERS = 20_000;

/**
 * Runs a command and resolves to its stdout.
 * @throws {Error} with the last lines of its output when it cannot be started or exits with another code than 0
 */
export function runCommand(command: string, args: readonly string[], options: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let combined = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout = (stdout + chunk.toString()).slice(-MAX_CHARACTERS);
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        combined = (combined + chunk.toString()).slice(-MAX_CHARACTERS);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const tail = combined.trim().split('\n').slice(-3).join(' | ');
      reject(new Error(`${command} ended with ${signal ?? code}: ${tail}`));
    });
  });
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
