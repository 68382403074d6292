import { vendorDownload } from './archive.ts';
import { cached, cacheFolder, slot } from './cache.ts';
import { type ObtainContext, obtain, type Strategy } from './chain.ts';
import { goBuild } from './go-build.ts';
import { onPath } from './on-path.ts';
import { type ToolName, tools } from './tool-versions.ts';
import type { Program } from './versions.ts';

/** Obtains a program of {@link tools} and resolves to its path. @throws {ObtainError} */
export function obtainTool(name: ToolName, context: ObtainContext): Promise<string> {
  const advice = `Put ${name} ${tools[name].release} on PATH, or install Go 1.25 or newer.`;
  return obtain(name, strategiesFor(name, context.env), advice, context);
}

/** The strategies for a tool, in order of preference. */
export function strategiesFor(name: ToolName, env: NodeJS.ProcessEnv): Strategy[] {
  const tool = tools[name];
  const place = slot(cacheFolder(env), name, tool.release);
  return [onPath(name, env, tool), cached(place), vendorDownload(place, tool), goBuild(place, tool, env)];
}

/** Builds any program of a Go module, or finds it in the cache. @throws {ObtainError} */
export function obtainProgram(name: string, program: Program, context: ObtainContext): Promise<string> {
  const place = slot(cacheFolder(context.env), name, program.release);
  const strategies = [cached(place), goBuild(place, program, context.env)];
  return obtain(name, strategies, 'Install Go 1.25 or newer.', context);
}
