import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../contract/errors.ts';

const readme = readFileSync('README.md', 'utf8');

describe('the README', () => {
  test('lists the error table', () => {
    const listed = [...readme.matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \| (.*) \|$/gm)].map((row) =>
      row.slice(1, 5),
    );
    const table = Object.entries(ERRORS).map(([code, entry]) => [
      code,
      String(entry.status),
      entry.retryable ? 'yes' : 'no',
      `${'addition' in entry ? 'Addition. ' : ''}${entry.description}`,
    ]);
    expect(listed).toEqual(table);
  });

  test('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path ?? '');
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run (?:--silent )?)([\w:]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
