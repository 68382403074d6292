import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCommand } from '../../../dev/process/command.ts';
import type { Configuration } from './configurations.ts';

export interface Result {
  /** The invariant or property that does not hold; undefined when all hold. */
  violated: string | undefined;
  states: number;
  /** What TLC printed: the steps that lead to the violation. */
  output: string;
}

const MEMORY = '-Xmx3g';
/** @throws Error that says what to install */
export async function requireJava(): Promise<void> {
  const advice = 'TLC needs Java 11 or newer (Debian: apt-get install default-jre-headless).';
  await runCommand('java', ['-version'], { signal: AbortSignal.timeout(60_000) }).catch((cause: Error) => {
    throw new Error(`${advice} ${cause.message}`, { cause });
  });
}

/** Searches all states of a configuration. @param folder a new one @throws Error when TLC did not get to an end */
export async function search(jar: string, configuration: Configuration, folder: string): Promise<Result> {
  const { module } = configuration;
  mkdirSync(folder);
  copyFileSync(`docs/model/${module}.tla`, join(folder, `${module}.tla`));
  writeFileSync(join(folder, `${module}.cfg`), cfgOf(configuration));
  const tlc = ['tlc2.TLC', '-workers', '1', '-deadlock', '-metadir', 'states', module];
  const java = ['java', '-XX:+UseSerialGC', MEMORY, `-Djava.io.tmpdir=${folder}`, '-cp', jar, ...tlc];
  const child = spawn('nice', ['-n', '19', ...java], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const [, found] = /^\d+ states generated, (\d+) distinct states found/m.exec(output) ?? [];
  if (found === undefined) throw new Error(`TLC ended without a result:\n${output}`);
  return { violated: violatedIn(output, configuration), states: Number(found), output };
}

function violatedIn(output: string, { checks }: Configuration): string | undefined {
  if (output.includes('Model checking completed. No error has been found.')) return undefined;
  if (output.includes('Temporal properties were violated')) return checks[0];
  const [, invariant] = /Invariant (\w+) is violated/.exec(output) ?? [];
  if (invariant === undefined) throw new Error(`TLC failed:\n${output}`);
  return invariant;
}

/** TLC's file for a configuration. */
function cfgOf({ constants, checks }: Configuration): string {
  const assigned = Object.entries(constants).map(([name, value]) => `  ${name} = ${inTla(value)}`);
  const kind = checks.includes('AllEnd') ? 'PROPERTY' : 'INVARIANTS';
  return ['SPECIFICATION Spec', 'CONSTANTS', ...assigned, `${kind} ${checks.join(' ')}`, ''].join('\n');
}

function inTla(value: Configuration['constants'][string]): string {
  if (typeof value === 'object') return `{${value.map((one) => JSON.stringify(one)).join(', ')}}`;
  return String(value).toUpperCase();
}
