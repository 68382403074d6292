import { execFileSync } from 'node:child_process';
import { identify, type ProcessIdentity } from '../../dev/process/process-identity.ts';

/** The pids of all descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number));
  const descendants = (parent: number): number[] =>
    pairs.flatMap(([child = 0, ppid]) => (ppid === parent ? [child, ...descendants(child)] : []));
  return descendants(pid);
}

/** A process and its descendants, to check later whether all of them have ended. */
export function familyOf(pid: number): ProcessIdentity[] {
  return [pid, ...descendantsOf(pid)].flatMap((member) => identify(member) ?? []);
}
