import { type Say, withProgress } from './progress.ts';

/** An attempt stops on `signal` and reports its current step through `report`. */
export type Task = { signal: AbortSignal; report: (step: string) => void };

/** One way to obtain an executable; resolves to its path. */
export type Strategy = { name: string; attempt: (task: Task) => Promise<string> };

export type ObtainContext = { env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal };

/** Every strategy failed: the message lists them with their reasons. */
export class ObtainError extends Error {
  override readonly name = 'ObtainError';
}

/**
 * Tries the strategies in order, with progress, and resolves to the first path found.
 * @throws {ObtainError} when all fail: each strategy with its reason, and then `advice`, the
 * program to install
 */
export function obtain(
  name: string,
  strategies: readonly Strategy[],
  advice: string,
  { say, signal }: Pick<ObtainContext, 'say' | 'signal'>,
): Promise<string> {
  return withProgress(name, say, async (report) => {
    const failures: string[] = [];
    for (const strategy of strategies) {
      try {
        return await strategy.attempt({ signal, report });
      } catch (cause) {
        signal.throwIfAborted();
        failures.push(`  ${strategy.name}: ${reason(cause)}`);
      }
    }
    throw new ObtainError([`${name} could not be obtained. Tried:`, ...failures, `  ${advice}`].join('\n'));
  });
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  return `${cause.message}${inner}`;
}
