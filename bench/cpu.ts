import { readUsage } from '../imaging/processes/usage.ts';
import { childrenOf } from './hostile/tree.ts';

/** Milliseconds of processor time by the name of a process. */
export type CpuByName = Record<string, number>;

/**
 * What named processes and their children take from now on, from /proc. Linux only.
 * @returns to be called at the end; what a child that ended meanwhile took is missing
 */
export function watchCpu(pids: Readonly<Record<string, number>>): () => CpuByName {
  const read = (): CpuByName =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, cpuOf(pid) + sum(childrenOf(pid).map(cpuOf))]),
    );
  const before = read();
  return () =>
    Object.fromEntries(Object.entries(read()).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
}

const cpuOf = (pid: number): number => readUsage(pid)?.cpuMs ?? 0;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
