import { spawn } from 'node:child_process';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { entryPoint } from './project.ts';

type Options = { env: NodeJS.ProcessEnv; signal: AbortSignal };

/**
 * Runs one of the operator's commands and resolves to what it printed as JSON, held to a schema.
 * @throws {Error} with what the command wrote to stderr.
 */
export async function operate<T extends TSchema>(
  schema: T,
  args: readonly string[],
  options: Options,
): Promise<Static<T>> {
  const { command, args: all, cwd } = entryPoint('operator/main', [...args, '--json']);
  const output = await run(command, all, { ...options, cwd });
  return Value.Parse(schema, JSON.parse(output));
}

function run(command: string, args: readonly string[], options: Options & { cwd: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`operator ${args.slice(3).join(' ')} ended with ${code}: ${errors.trim()}`));
    });
  });
}
