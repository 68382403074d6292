import { readdirSync, readFileSync } from 'node:fs';

/** What a process has taken so far, all its threads together. */
export interface Usage {
  cpuMs: number;
  rssBytes: number;
}

/** Linux reports processor time in hundredths of a second on every architecture (proc(5), sysconf _SC_CLK_TCK). */
const TICK_MS = 10;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Ids of the threads of a process; where there is no /proc, the process itself stands for them. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

/** Read from /proc; undefined where there is none, or no such process any more. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command may hold blanks and brackets; the state is the first field after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
    return { cpuMs: ticks * TICK_MS, rssBytes: readRss(pid) };
  } catch {
    return undefined;
  }
}

/** From status, which counts in kB: the pages that statm counts in differ between machines. */
function readRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const start = status.indexOf('VmRSS:');
  return start < 0 ? 0 : Number.parseInt(status.slice(start + 'VmRSS:'.length), 10) * 1024;
}
