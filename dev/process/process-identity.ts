import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Identifies a process even when its pid is reused later. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** The identity of a running process; undefined if no process has this pid. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

function fromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command may contain spaces and parentheses; the state is the first field after its last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): string | undefined {
  try {
    const output = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    return output === '' || output.startsWith('Z') ? undefined : output.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}
