import { describe, expect, test } from 'vitest';
import { sourceFiles } from '../../dev/lint/source-files.ts';
import { expressionsIn, problemOf } from './expressions.ts';

/** Problems of the regular expressions in a piece of source. */
async function problemsOf(text: string): Promise<string[]> {
  const problems = await Promise.all(expressionsIn('piece.ts', text).map(problemOf));
  return problems.filter((problem) => problem !== undefined);
}

test('no regular expression of the source can backtrack catastrophically', {
  timeout: 300_000,
}, async () => {
  const problems: string[] = [];
  for (const path of sourceFiles())
    for (const expression of expressionsIn(path)) {
      const problem = await problemOf(expression);
      if (problem !== undefined) problems.push(`${path} ${problem}`);
    }
  expect(problems).toEqual([]);
});

describe('the check', () => {
  test.each([
    ['exponential backtracking', `/^(a+)+$/.test(text)`, /exponential/],
    ['spaces before the end', String.raw`/\s*\w*;?\s*$/.test(text)`, /polynomial/],
    [
      'spaces inside a longer expression',
      String.raw`const type = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;`,
      /polynomial/,
    ],
    ['slashes before the end', String.raw`url.replace(/\/+$/, '')`, /polynomial/],
    ['RegExp of a constant', `new RegExp('(a*)*b')`, /exponential/],
    ['a pattern of a schema', `Type.String({ pattern: '^(x|x)*$' })`, /exponential/],
  ])('finds %s', async (_name, text, found) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(found)]);
  });

  test('accepts expressions that run in linear time', async () => {
    expect(await problemsOf(`/^[a-z]+$/.test(a) || /^a{1,8}b?$/i.test(b)`)).toEqual([]);
  });

  test('refuses an expression built at run time', () => {
    expect(() => expressionsIn('piece.ts', 'const find = (name: string) => new RegExp(name);')).toThrow(
      /known before run time/,
    );
  });

  test('covers the source', () => {
    const files = sourceFiles();
    expect(files).toContain('lib/process/config/config.ts');
    expect(files).toContain('api/http/error-handler.ts');
    expect(files.flatMap((path) => expressionsIn(path)).length).toBeGreaterThan(30);
  });
});
