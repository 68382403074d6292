import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';
import { cacheFolder, slot } from './cache.ts';
import { cacheInto } from './cache-into.ts';
import { firstThatWorks } from './chain.ts';
import { type Say, withProgress } from './progress.ts';
import { cached } from './strategies.ts';

const MODULE = 'github.com/prometheus/prometheus';
/** Prometheus 3.11.3. It needs Go 1.25 or newer. */
const RELEASE = 'v0.311.3';

/**
 * Builds Prometheus' checker of rules and pages, or finds it in the cache. Only tests run it. A build takes about 80 s
 * on two processors.
 * @returns its path
 * @throws {ObtainError}
 */
export function obtainPromtool(env: NodeJS.ProcessEnv, say: Say, signal: AbortSignal): Promise<string> {
  const place = slot(cacheFolder(env), 'promtool', RELEASE);
  const build = cacheInto(place, 'go build', async (folder, task) => {
    task.report('building from source');
    // In a module of its own: `go install` refuses one whose go.mod excludes versions. Go verifies every module. Without
    // its version, Go would load the modules of all versions ever required.
    writeFileSync(join(folder, 'go.mod'), `module build\n\ngo 1.25.0\n\nrequire ${MODULE} ${RELEASE}\n`);
    const file = join(folder, place.name);
    // Without the service discoveries, which are most of its code.
    const flags = ['-mod=mod', '-tags', 'remove_all_sd', '-trimpath', '-ldflags', '-s -w', '-o', file];
    await runCommand('go', ['build', ...flags, `${MODULE}/cmd/promtool`], { signal, cwd: folder, env });
    return file;
  });
  const strategies = [cached(place), build];
  return withProgress(place.name, say, (report) =>
    firstThatWorks(place.name, strategies, { signal, report }),
  );
}
