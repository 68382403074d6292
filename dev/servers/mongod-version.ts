import { versions } from '../obtain/versions.ts';
import { runCommand } from '../process/command.ts';

/** The version that a mongod reports, such as `7.0.43`. */
export async function mongodVersion(binary: string, signal: AbortSignal): Promise<string> {
  const output = await runCommand(binary, ['--version'], { signal });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (!version) throw new Error(`${binary} --version printed no version`);
  return version;
}

/**
 * A warning about a mongod that lacks fixes for known vulnerabilities; undefined if it has them.
 */
export function outdatedMongod(version: string, binary: string): string | undefined {
  if (!isOutdated(version)) return undefined;
  const patched = versions.mongod.patched.join(' or ');
  return (
    `mongod: ${version} (${binary}) lacks fixes for known vulnerabilities; it is bound to 127.0.0.1 and meant for ` +
    `trials only. Install MongoDB ${patched} (mongod on PATH), or set MONGODB_URL.`
  );
}

/** A series newer than the pinned ones counts as patched. */
function isOutdated(version: string): boolean {
  const [major, minor, patch] = numbers(version);
  const series = versions.mongod.patched.map(numbers);
  const same = series.find((patched) => patched[0] === major && patched[1] === minor);
  if (same) return patch < same[2];
  return major < Math.min(...series.map(([patchedMajor]) => patchedMajor));
}

function numbers(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}
