import { cacheFolder, slot } from './cache.ts';
import { firstThatWorks } from './chain.ts';
import { type Say, withProgress } from './progress.ts';
import { cached, goInstall } from './strategies.ts';
import { type GoProgram, tools } from './versions.ts';

export type ToolContext = { env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal };

/** Builds a tool of {@link tools}, or finds it in the cache. @throws {ObtainError} */
export const obtainTool = (name: keyof typeof tools, context: ToolContext): Promise<string> =>
  obtainProgram(name, tools[name], context);

/** Builds any program of a Go module, or finds it in the cache. @throws {ObtainError} */
export function obtainProgram(
  name: string,
  program: GoProgram,
  { env, say, signal }: ToolContext,
): Promise<string> {
  const place = slot(cacheFolder(env), name, program.release);
  const strategies = [cached(place), goInstall(place, program, env)];
  return withProgress(name, say, (report) => firstThatWorks(name, strategies, { signal, report }));
}
