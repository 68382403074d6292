import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export type ModuleName =
  | 'api/main'
  | 'worker/main'
  | 'worker/renderer'
  | 'operator/main'
  | 'dev/process/after-kill';

const WATCH = ['--watch', '--watch-preserve-output'];

/**
 * The command that starts one of the project's processes from its sources, with this Node; with
 * `watch` it restarts when one of them changes.
 */
export const entryPoint = (name: ModuleName, args: readonly string[] = [], watch = false) => ({
  command: process.execPath,
  args: [...(watch ? WATCH : []), '--import', 'tsx', join(root, `${name}.ts`), ...args],
  cwd: root,
});
