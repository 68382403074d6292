import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An executable that supports `--version`, like those of the servers. */
export function writeExecutable(path: string, script = 'echo version 1'): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Starts one of the test programs in a process of its own. */
export function startProgram(name: string, ...args: string[]): ChildProcess {
  const file = join(import.meta.dirname, 'programs', `${name}.ts`);
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The output of the program after it has exited with 0. */
export async function outputOf(program: ChildProcess): Promise<string> {
  let output = '';
  program.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(program, 'close');
  if (code !== 0) throw new Error(`the program ended with ${code}: ${output}`);
  return output.trim();
}

/** Resolves to the first line the program prints. */
export async function firstLine(program: ChildProcess): Promise<string> {
  if (!program.stdout) throw new Error('the program has no stdout');
  const [chunk] = await once(program.stdout, 'data');
  return String(chunk).trim();
}
