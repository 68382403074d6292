import { firstThatWorks, ObtainError, type Strategy } from './chain.ts';
import { type Say, withProgress } from './progress.ts';

export type ObtainContext = { env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal };

/**
 * Tries the strategies in order, with progress, and resolves to the first path found.
 * @throws {ObtainError} when all fail: what was tried, why it failed, and then `advice`, what to install
 */
export function obtain(
  name: string,
  strategies: readonly Strategy[],
  advice: string,
  { say, signal }: Pick<ObtainContext, 'say' | 'signal'>,
): Promise<string> {
  return withProgress(name, say, async (report) => {
    try {
      return await firstThatWorks(name, strategies, { signal, report });
    } catch (cause) {
      if (cause instanceof ObtainError) throw new ObtainError(`${cause.message}\n  ${advice}`);
      throw cause;
    }
  });
}
