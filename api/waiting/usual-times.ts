import { WAITING } from '../../lib/contract/limits.ts';
import type { JobProgress } from '../../lib/contract/schemas.ts';
import type { JobRecord } from '../../lib/domain/records.ts';

/** Jobs of a tool that count. */
const LATEST = 20;
/** Older times are ignored, because they say little about the present. */
const RECENT_MS = 3_600_000;
/** Retry-After while nothing better is known. */
const UNKNOWN_SECONDS = 3;

type Ended = Pick<JobRecord, 'id' | 'tool' | 'status' | 'createdAt' | 'completedAt'>;

type Processing = Pick<JobRecord, 'tool' | 'createdAt'>;

/**
 * How long jobs of each tool usually take. Learned from the jobs that this process has seen, and
 * kept in its memory only.
 */
export interface UsualTimes {
  /** Must be called with every job that is read. Only recently completed jobs count. */
  saw(job: Ended): void;
  /** Milliseconds from the creation of a job to its completion; undefined while unknown. */
  of(tool: string): number | undefined;
  /**
   * What a `progress` event says about a processing job; undefined while nothing is known of its
   * tool.
   */
  progress(job: Processing): JobProgress | undefined;
  /** Whole seconds after which a processing job is likely to have ended. */
  retryAfter(job: Processing): number;
}

/** @param now the current time, in milliseconds since 1970 */
export function createUsualTimes(now: () => number = Date.now): UsualTimes {
  /** By tool: the milliseconds of its latest jobs, by job. */
  const times = new Map<string, Map<string, number>>();
  // The clock of the worker, which sets `createdAt`, may be ahead.
  const elapsed = (createdAt: Date) => Math.max(0, now() - createdAt.getTime());
  const of: UsualTimes['of'] = (tool) => {
    const sorted = [...(times.get(tool)?.values() ?? [])].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
  };
  return {
    saw({ id, tool, status, createdAt, completedAt }) {
      if (status !== 'completed' || completedAt === null || now() - completedAt.getTime() > RECENT_MS) return;
      const latest = times.get(tool) ?? new Map<string, number>();
      times.set(tool, latest.set(id, completedAt.getTime() - createdAt.getTime()));
      const [oldest] = latest.keys();
      if (latest.size > LATEST && oldest !== undefined) latest.delete(oldest);
    },
    of,
    progress({ tool, createdAt }) {
      const expected = of(tool);
      return expected === undefined ? undefined : { elapsed_ms: elapsed(createdAt), expected_ms: expected };
    },
    retryAfter({ tool, createdAt }) {
      const leftMs = (of(tool) ?? 0) - elapsed(createdAt);
      if (leftMs <= 0) return UNKNOWN_SECONDS;
      return Math.min(Math.ceil(leftMs / 1000), WAITING.retryAfterSeconds);
    },
  };
}
