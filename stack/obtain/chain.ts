/** What an attempt may use while it runs: it stops on `signal` and tells through `report` what it is doing. */
export type Task = { signal: AbortSignal; report: (step: string) => void };

/** One way to get at an executable. An attempt that does not work rejects with the reason. */
export type Strategy = { name: string; attempt: (task: Task) => Promise<string> };

/** Nothing worked: the message lists every way that was tried and why it failed. */
export class ObtainError extends Error {
  override readonly name = 'ObtainError';
}

/**
 * Tries the strategies in order and resolves to the first path found.
 * @throws {ObtainError} when all fail; the abort reason as soon as the signal is aborted.
 */
export async function firstThatWorks(what: string, strategies: readonly Strategy[], task: Task) {
  const failures: string[] = [];
  for (const { name, attempt } of strategies) {
    try {
      return await attempt(task);
    } catch (cause) {
      task.signal.throwIfAborted();
      failures.push(`  ${name}: ${reason(cause)}`);
    }
  }
  throw new ObtainError([`${what} could not be obtained. Tried:`, ...failures].join('\n'));
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  return `${cause.message}${inner}`;
}
