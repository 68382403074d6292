import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';

export type EntryPoint =
  | 'api/main'
  | 'worker/main'
  | 'worker/renderer'
  | 'operator/main'
  | 'stack/run/after-kill';

/** How one of the project's processes is started with this Node, from the sources or from the build. */
export function entryPoint(name: EntryPoint, args: readonly string[] = []) {
  const loader = extension === 'ts' ? ['--import', 'tsx'] : [];
  return {
    command: process.execPath,
    args: [...loader, join(root, `${name}.${extension}`), ...args],
    cwd: root,
  };
}
