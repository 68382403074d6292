import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { proveRuns } from '../process/command.ts';
import type { Strategy } from './chain.ts';

/** An executable of this name on PATH. */
export function onPath(name: string, env: NodeJS.ProcessEnv): Strategy {
  return {
    name: 'on PATH',
    attempt: async ({ signal }) => {
      const found = (env.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name))
        .find(isExecutable);
      if (!found) throw new Error(`no executable named ${name}`);
      return proveRuns(found, signal);
    },
  };
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
