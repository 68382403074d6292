import { join } from 'node:path';
import { openImagePool, type PoolOptions, type TaskContext } from '../../imaging/processes/pool.ts';
import type { oddTasks } from './programs/odd-tasks.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Processes whose tasks do what a hostile picture does. */
export const openOddPool = (options: Partial<PoolOptions> = {}) =>
  openImagePool<typeof oddTasks>({
    entry: {
      file: join(import.meta.dirname, 'programs', 'odd-tasks.ts'),
      execArgv: ['--import', 'tsx'],
      cwd: ROOT,
    },
    processes: 2,
    memoryBytes: 1000,
    ...options,
  });

/** A context that bounds nothing but what the test says. */
export function unhurried(changes: Partial<Omit<TaskContext, 'limits'>> = {}, limits = {}): TaskContext {
  return {
    owner: 'somebody',
    signal: new AbortController().signal,
    estimatedBytes: 1,
    limits: { cpuMs: 60_000, rssBytes: 4e9, stallMs: 60_000, ...limits },
    ...changes,
  };
}
