import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';

/** Licences under which production may use a package without a condition for this project's own code. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** Packages with another licence or none in package.json, and why they may be used. */
const EXCEPTIONS: readonly { name: RegExp; license: string; reason: string }[] = [
  { name: /^@img\/sharp-libvips-/, license: 'LGPL-3.0-or-later', reason: 'a shared library, not changed' },
  {
    name: /^caniuse-lite$/,
    license: 'CC-BY-4.0',
    reason: 'data; webpack reads it while it bundles workflows',
  },
  { name: /^unionfs$/, license: 'none', reason: 'its LICENSE file is the Unlicense' },
];

const Package = Type.Object({ name: Type.String(), license: Type.Optional(Type.String()) });
const Audit = Type.Object({
  metadata: Type.Object({ vulnerabilities: Type.Record(Type.String(), Type.Integer()) }),
});

/** An expression of SPDX: all its licences, because with OR the choice would be one more exception. */
const isAllowed = (license: string) =>
  license.split(/ AND | OR |[()]/).every((one) => one === '' || ALLOWED.includes(one));

const isException = (found: { name: string; license: string }) =>
  EXCEPTIONS.some(({ name, license }) => name.test(found.name) && license === found.license);

/** The stdout of an npm command, whatever its exit code. */
async function npm(...args: string[]): Promise<string> {
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return text(child.stdout);
}

test('every package that production installs has an allowed licence', async () => {
  const paths = (await npm('ls', '--omit=dev', '--all', '--parseable')).trim().split('\n').slice(1);
  expect(paths.length).toBeGreaterThan(100);
  const refused = paths
    .map((path) => Value.Parse(Package, JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))))
    .map(({ name, license = 'none' }) => ({ name, license }))
    .filter((found) => !isAllowed(found.license) && !isException(found))
    .map(({ name, license }) => `${name}: ${license}`);
  expect(refused).toEqual([]);
});

test('npm knows no vulnerability of high severity in what production installs', async ({ skip }) => {
  const output: unknown = JSON.parse(await npm('audit', '--omit=dev', '--json'));
  if (!Value.Check(Audit, output)) skip(`The registry does not answer: ${JSON.stringify(output)}`);
  const { high = 0, critical = 0 } = Value.Parse(Audit, output).metadata.vulnerabilities;
  expect({ high, critical }).toEqual({ high: 0, critical: 0 });
});
