import { readUsage } from '../../imaging/processes/usage.ts';

/** Milliseconds of processor time by process name. */
export type CpuByName = Record<string, number>;

/**
 * Measures the processor time of the named processes from now on, from /proc. Linux only.
 * @returns a function that returns the time so far
 */
export function watchCpu(pids: Readonly<Record<string, number>>): () => CpuByName {
  const since = (before: CpuByName): CpuByName =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, (readUsage(pid)?.cpuMs ?? 0) - (before[name] ?? 0)]),
    );
  const before = since({});
  return () => since(before);
}
