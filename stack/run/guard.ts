import { spawn } from 'node:child_process';
import { entryPoint } from '../project.ts';

/**
 * From now on the children on a data folder end soon after this process, however it ends; SIGKILL leaves it no time
 * to do so itself. Disposing calls that off.
 */
export function guardChildren(root: string): Disposable {
  const { command, args, cwd } = entryPoint('stack/run/after-kill', [root]);
  // A shell does the waiting as it takes hardly any memory. Its stdin ends when this process has.
  const waiting = ['-c', 'read -r _; exec "$@"', 'sh', command, ...args];
  const guard = spawn('sh', waiting, { cwd, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell it is left to the next start on the folder.
  guard.once('error', () => {});
  guard.unref();
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') };
}
