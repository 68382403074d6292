import { join } from 'node:path';
import { openImagePool, type PoolOptions, type TaskContext } from '../../../lib/imaging/processes/pool.ts';
import type { oddTasks } from './programs/odd-tasks.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A pool whose tasks behave as a hostile image could make them. */
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

/** A context with limits so high that only those set by the test apply. */
export function unhurried(changes: Partial<Omit<TaskContext, 'limits'>> = {}, limits = {}): TaskContext {
  return {
    owner: 'account',
    signal: new AbortController().signal,
    estimatedBytes: 1,
    limits: { cpuMs: 60_000, rssBytes: 4e9, stallMs: 60_000, ...limits },
    ...changes,
  };
}
