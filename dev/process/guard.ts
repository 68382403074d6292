import { spawn } from 'node:child_process';
import { entryPoint } from '../stack/project.ts';

/**
 * Starts a helper that stops the children on a data folder after this process has ended in any way, SIGKILL included.
 * Disposing stops the helper.
 */
export function guardChildren(root: string): Disposable {
  const { command, args, cwd } = entryPoint('dev/process/after-kill', [root]);
  // A shell waits, because it takes hardly any memory. Its stdin is closed when this process ends.
  const waiting = ['-c', 'read -r _; exec "$@"', 'sh', command, ...args];
  const guard = spawn('sh', waiting, { cwd, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell, the next start on the folder stops the children.
  guard.once('error', () => {});
  guard.unref();
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') };
}
