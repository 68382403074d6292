import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** Programs whose exported names may be the same: each is installed without the others. */
const PACKAGES = ['packages/client/', 'packages/mcp/'];
/** Names that others look for: Vitest, Temporal in the examples of a change, and users of the client. */
const NAMED_BY_OTHERS: readonly string[] = ['setup', 'jobWorkflow', 'retentionWorkflow', 'ImageJobs'];
/** Generated, or compiled as a sample only. */
const SAMPLES =
  /^(docs\/examples|test\/docs\/clients|test\/packages\/client\/consumers|packages\/client\/src\/openapi)/;

const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !SAMPLES.test(file));

function exportsOf(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, exportName }) =>
      moduleRequest === null && exportName.name !== null ? [exportName.name] : [],
    ),
  );
  // A schema and its type share a name.
  return [...new Set(names)];
}

function duplicatesIn(scope: readonly string[]): string[] {
  const places = new Map<string, string[]>();
  for (const file of scope)
    for (const name of exportsOf(file)) places.set(name, [...(places.get(name) ?? []), file]);
  return [...places]
    .filter(([name, { length }]) => length > 1 && !NAMED_BY_OTHERS.includes(name))
    .map(([name, found]) => `${name}: ${found.join(', ')}`);
}

const service = files.filter((file) => !PACKAGES.some((path) => file.startsWith(path)));

const scopes: [name: string, files: string[]][] = [
  ['the service and its tests', service],
  ...PACKAGES.map((path): [string, string[]] => [path, files.filter((file) => file.startsWith(path))]),
];

test.each(scopes)('an exported name stands for one thing in %s', (_name, scope) => {
  expect(scope.length).toBeGreaterThan(10);
  expect(duplicatesIn(scope)).toEqual([]);
});
