import { execFileSync } from 'node:child_process';
import { identify, type ProcessIdentity } from '../../stack/run/process-identity.ts';

/** The pids of all that run below a process. */
export function descendantsOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, itsParent]) => (itsParent === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** A process and all below it, to be looked for when the process itself has ended. */
export function familyOf(pid: number): ProcessIdentity[] {
  return [pid, ...descendantsOf(pid)].flatMap((member) => identify(member) ?? []);
}
