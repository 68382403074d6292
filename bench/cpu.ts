import { readUsage } from '../imaging/processes/usage.ts';

/** Milliseconds of processor time by the name of a process. */
export type CpuByName = Record<string, number>;

/**
 * What each of the named processes takes from now on, from /proc. Linux only.
 * @returns to be called at the end
 */
export function watchCpu(pids: Readonly<Record<string, number>>): () => CpuByName {
  const since = (before: CpuByName): CpuByName =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, (readUsage(pid)?.cpuMs ?? 0) - (before[name] ?? 0)]),
    );
  const before = since({});
  return () => since(before);
}
