import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');
const [, rest = ''] = page.split('## From the request to the transaction');
const [section = ''] = rest.split('\n## ');
const steps = [...section.matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/\1\)/gm)].map(([, file = '']) => file);
/** The files that the steps call: `- in `folder`: `file`, `file``, and further folders of the same item. */
const called = section
  .split(/(?=\b[Ii]n `(?:api|lib)\/)/)
  .slice(1)
  .flatMap((item) => {
    const [, folder = '', files = ''] = /^[Ii]n `([^`]+)`:(.*?)(?:\n\n|$)/s.exec(item) ?? [];
    return [...files.matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => `${folder}/${file}`);
  });

const isFollowed = (file: string) => /^(api|lib\/admission|lib\/protocol)\//.test(file);

/** The files whose code a file imports: neither types nor declarations of types. */
function importsOf(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  return module.staticImports
    .filter(({ entries }) => entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name));
}

function reachedFrom(files: readonly string[]): string[] {
  const reached = new Set(files);
  for (const file of reached) for (const next of importsOf(file).filter(isFollowed)) reached.add(next);
  return [...reached];
}

test('a reader follows POST /v1/jobs to its transaction through at most 25 files', () => {
  expect([steps.at(0), steps.at(-1)]).toEqual(['api/app.ts', 'lib/stores/mongo/client.ts']);
  expect(steps.length).toBeLessThanOrEqual(25);
  expect([...steps, ...called].filter((file) => !existsSync(file))).toEqual([]);
});

test('every file that its steps in the API import is named, and no other', () => {
  const [server, ...inside] = steps.filter(isFollowed);
  expect(server).toBe('api/app.ts');
  // A limit and the gateway reach the handler as dependencies, which open-api.ts creates.
  const dependencies = inside.filter((file) => /limits\.ts$|gateway\.ts$/.test(file));
  const roots = ['api/http/checks.ts', 'api/routes/create-job.ts', ...dependencies];
  const named = [...inside, ...called.filter(isFollowed)].sort();
  expect(reachedFrom(roots).sort()).toEqual(named);
});
