/** An attempt stops on `signal` and reports its current step through `report`. */
export type Task = { signal: AbortSignal; report: (step: string) => void };

/** One way to obtain an executable; resolves to its path. */
export type Strategy = { name: string; attempt: (task: Task) => Promise<string> };

/** Every strategy failed: the message lists them with their reasons. */
export class ObtainError extends Error {
  override readonly name = 'ObtainError';
}

/**
 * Tries the strategies in order and resolves to the first path found.
 * @throws {ObtainError} when all fail; the signal's reason when it is aborted
 */
export async function firstThatWorks(name: string, strategies: readonly Strategy[], task: Task) {
  const failures: string[] = [];
  for (const strategy of strategies) {
    try {
      return await strategy.attempt(task);
    } catch (cause) {
      task.signal.throwIfAborted();
      failures.push(`  ${strategy.name}: ${reason(cause)}`);
    }
  }
  throw new ObtainError([`${name} could not be obtained. Tried:`, ...failures].join('\n'));
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  return `${cause.message}${inner}`;
}
