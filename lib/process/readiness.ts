import type { Logger } from 'pino';
import { withDeadline } from './process.ts';

export type DependencyName = 'mongodb' | 's3' | 'temporal';

/** Rejects when the dependency cannot be used. Must end by itself, even if nothing answers. */
export type DependencyCheck = () => Promise<unknown>;

/** Body of /readyz. `draining`: the process has been told to stop and finishes its work. */
export interface ReadinessReport {
  status: 'ready' | 'away' | 'draining';
  dependencies: Partial<Record<DependencyName, DependencyState>>;
}
export type DependencyState = 'ok' | 'away';

export interface Readiness {
  /** The result of the last check, at most {@link CACHE_MS} old. Never rejects. */
  report(): Promise<ReadinessReport>;
  /** From now on the process reports that it drains. */
  drain(): void;
}

/** Called with the error when a dependency goes away, and with undefined when it is back. */
export type OnChange = (name: DependencyName, problem: unknown) => void;

/** Body of /healthz. */
export const ALIVE = { status: 'ok' } as const;

export const statusOf = ({ status }: ReadinessReport): 200 | 503 => (status === 'ready' ? 200 : 503);

/** Time for each dependency to answer. */
const WITHIN_MS = 2000;
const CACHE_MS = 1000;

/** Checks all dependencies concurrently, at most once a second for any number of callers. */
export function createReadiness(
  checks: Readonly<Partial<Record<DependencyName, DependencyCheck>>>,
  onChange: OnChange = () => {},
): Readiness {
  const states: ReadinessReport['dependencies'] = {};
  const all = Object.entries(checks).map(
    // A check that outlasts its time limit goes on. Until it ends, no other check of the dependency
    // starts.
    ([name, check]) => [name as DependencyName, cachedFor(0, check)] as const,
  );
  let draining = false;

  async function update([name, check]: (typeof all)[number]): Promise<void> {
    const problem = await withDeadline(WITHIN_MS, check()).then(
      () => undefined,
      (error: unknown) => error ?? 'unknown',
    );
    const state = problem === undefined ? 'ok' : 'away';
    if (state !== (states[name] ?? 'ok')) onChange(name, problem);
    states[name] = state;
  }

  const updateAll = cachedFor(CACHE_MS, () => Promise.all(all.map(update)));
  return {
    async report() {
      await updateAll();
      const isReady = all.every(([name]) => states[name] === 'ok');
      const status = draining ? 'draining' : isReady ? 'ready' : 'away';
      return { status, dependencies: { ...states } };
    },
    drain() {
      draining = true;
    },
  };
}

/** Logs when a dependency goes away, with the reason, and when it is back. */
export const logDependencies =
  (logger: Pick<Logger, 'info' | 'warn'>): OnChange =>
  (dependency, problem) => {
    if (problem === undefined) logger.info({ dependency }, 'A dependency is back.');
    else logger.warn({ dependency, err: problem }, 'A dependency is away.');
  };

/**
 * Shares the result of `work` among concurrent callers, and reuses it for `ms` milliseconds after
 * it ended. An error is shared as well. So any number of callers causes one call at a time.
 */
export function cachedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (current !== undefined && performance.now() < until) return current;
    const started = work();
    current = started;
    until = Number.POSITIVE_INFINITY;
    const ended = () => {
      until = performance.now() + ms;
    };
    started.then(ended, ended);
    return started;
  };
}
