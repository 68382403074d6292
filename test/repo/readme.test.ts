import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const readme = readFileSync('README.md', 'utf8');

describe('the README', () => {
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
