import { spawn } from 'node:child_process';

type Options = { signal: AbortSignal; cwd?: string; env?: NodeJS.ProcessEnv };

/**
 * Runs a command to its end and resolves to what it printed.
 * @throws {Error} with the last lines of its output when it cannot be started or ends with another code than 0.
 */
export function runCommand(command: string, args: readonly string[], options: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const tail = output.trim().split('\n').slice(-3).join(' | ');
      reject(new Error(`${command} ended with ${signal ?? code}: ${tail}`));
    });
  });
}

/** Resolves to the path when `<path> --version` works, so that a binary for another libc is found out early. */
export async function proveRuns(path: string, signal: AbortSignal): Promise<string> {
  await runCommand(path, ['--version'], { signal });
  return path;
}
