import { spawn } from 'node:child_process';

type Options = { signal: AbortSignal; cwd?: string; env?: NodeJS.ProcessEnv };

const KEPT_CHARACTERS = 20_000;

/**
 * Runs a command to its end and resolves to what it wrote to stdout.
 * @throws {Error} with the last lines of all it wrote when it cannot be started or ends with another code than 0.
 */
export function runCommand(command: string, args: readonly string[], options: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let everything = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS);
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        everything = (everything + chunk.toString()).slice(-KEPT_CHARACTERS);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const tail = everything.trim().split('\n').slice(-3).join(' | ');
      reject(new Error(`${command} ended with ${signal ?? code}: ${tail}`));
    });
  });
}

/** Resolves to the path when `<path> --version` works, so that a binary for another libc is found out early. */
export async function proveRuns(path: string, signal: AbortSignal): Promise<string> {
  await runCommand(path, ['--version'], { signal });
  return path;
}
