import { describe, expect, test } from 'vitest';
import { expressionsIn, problemOf, sourceFiles } from './expressions.ts';

/** What the checker says of the expressions in a piece of source. */
async function problemsOf(text: string): Promise<string[]> {
  const problems = await Promise.all(expressionsIn('piece.ts', text).map(problemOf));
  return problems.filter((problem) => problem !== undefined);
}

test('no regular expression of the source backtracks, whatever text it meets', {
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
    ['a run of spaces ahead of the end', String.raw`/\s*\w*;?\s*$/.test(text)`, /polynomial/],
    [
      'the same inside a longer expression',
      String.raw`const type = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;`,
      /polynomial/,
    ],
    ['slashes ahead of the end', String.raw`url.replace(/\/+$/, '')`, /polynomial/],
    ['an expression made of a constant', `new RegExp('(a*)*b')`, /exponential/],
    ['a pattern of a schema', `Type.String({ pattern: '^(x|x)*$' })`, /exponential/],
  ])('finds %s', async (_name, text, found) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(found)]);
  });

  test('passes those that read a text once', async () => {
    expect(await problemsOf(`/^[a-z]+$/.test(a) || /^a{1,8}b?$/i.test(b)`)).toEqual([]);
  });

  test('refuses an expression that is made at run time', () => {
    expect(() => expressionsIn('piece.ts', 'const find = (name: string) => new RegExp(name);')).toThrow(
      /known before run time/,
    );
  });

  test('sees the source', () => {
    const files = sourceFiles();
    expect(files).toContain('config.ts');
    expect(files).toContain('api/plugins/errors.ts');
    expect(files.flatMap((path) => expressionsIn(path)).length).toBeGreaterThan(30);
  });
});
