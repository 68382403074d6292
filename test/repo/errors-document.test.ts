import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorsMarkdown } from '../../dev/docs/errors.ts';
import { ERRORS } from '../../lib/contract/errors.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';

const written = readFileSync('docs/errors.md', 'utf8');

test('docs/errors.md is what `npm run docs` writes', () => {
  expect(written).toBe(errorsMarkdown());
});

test('docs/errors.md has a row for each code and for each type of failure', () => {
  const rows = [...written.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual([...Object.keys(ERRORS), ...Object.keys(FAILURES)]);
});

test('the README refers to docs/errors.md and repeats none of it', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toContain('](docs/errors.md)');
  for (const { description } of Object.values(ERRORS)) expect(readme).not.toContain(description);
});
