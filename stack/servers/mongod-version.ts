import { runCommand } from '../run/command.ts';
import { versions } from '../versions.ts';

/** The version that a mongod says it has, as in `7.0.43`. */
export async function mongodVersion(binary: string, signal: AbortSignal): Promise<string> {
  const said = await runCommand(binary, ['--version'], { signal });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (!version) throw new Error(`${binary} does not say its version`);
  return version;
}

/** One line about a mongod without the fixes of known vulnerabilities; undefined for one that has them. */
export function outdatedMongod(version: string, binary: string): string | undefined {
  if (!isOutdated(version)) return undefined;
  const wanted = versions.mongod.patched.join(' or ');
  return (
    `mongod: ${version} (${binary}) lacks fixes of known vulnerabilities; it is bound to 127.0.0.1 and meant for ` +
    `trials only. Install MongoDB ${wanted} (mongod on PATH), or set MONGODB_URL.`
  );
}

/** Of a series that is younger than those pinned nothing is known. */
function isOutdated(version: string): boolean {
  const [major, minor, patch] = numbers(version);
  const series = versions.mongod.patched.map(numbers);
  const same = series.find(([itsMajor, itsMinor]) => itsMajor === major && itsMinor === minor);
  if (same) return patch < same[2];
  return major < Math.min(...series.map(([itsMajor]) => itsMajor));
}

function numbers(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}
