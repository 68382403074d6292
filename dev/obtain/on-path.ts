import { delimiter, join } from 'node:path';
import { isExecutable, runCommand } from '../process/command.ts';
import type { Strategy } from './chain.ts';

/**
 * `release` as a tag has it, such as `v1.5.1`; any release when absent. `proof` is `--version`
 * unless named.
 */
export type Wanted = { release?: string | undefined; proof?: readonly string[] | undefined };

/** An executable of this name on PATH; if a release is wanted, only of that one. */
export function onPath(name: string, env: NodeJS.ProcessEnv, wanted: Wanted = {}): Strategy {
  return {
    name: 'on PATH',
    attempt: async ({ signal }) => {
      const found = (env.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name))
        .find(isExecutable);
      if (!found) throw new Error(`no executable named ${name}`);
      return proveProgram(found, wanted, signal);
    },
  };
}

/**
 * Runs a program, by default with `--version`, which rules out a binary for another libc.
 * @returns its path
 * @throws {Error} when it does not run, or prints another release than the wanted one
 */
export async function proveProgram(
  path: string,
  { release, proof = ['--version'] }: Wanted,
  signal: AbortSignal,
): Promise<string> {
  const output = await runCommand(path, proof, { signal });
  if (release === undefined) return path;
  const version = /\d{1,4}\.\d{1,4}\.\d{1,4}[^\s,)]{0,40}/.exec(output)?.[0];
  const printed = version === undefined ? 'of no known version' : `v${version}`;
  if (printed !== release) throw new Error(`${path} is ${printed}, not ${release}`);
  return path;
}
