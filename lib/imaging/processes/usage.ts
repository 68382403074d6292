import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  cpuMs: number;
  rssBytes: number;
}

/**
 * Linux counts processor time in hundredths of a second on every architecture (proc(5), sysconf
 * _SC_CLK_TCK).
 */
const TICK_MS = 10;
/** Indexes of utime and stime, counted from the state field. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Ids of the threads of a process; without /proc, only the pid itself. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

/** Reads /proc; undefined without /proc, or when the process has ended. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command may contain spaces and parentheses; the state is the first field after its last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
    return { cpuMs: ticks * TICK_MS, rssBytes: readRss(pid) };
  } catch {
    return undefined;
  }
}

/**
 * From `status`, which counts in kB; `statm` counts in pages, whose size differs between machines.
 */
function readRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const start = status.indexOf('VmRSS:');
  return start < 0 ? 0 : Number.parseInt(status.slice(start + 'VmRSS:'.length), 10) * 1024;
}
