import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Environment } from '../../lib/process/config/config.ts';
import { SECRET_FILES } from '../../lib/process/config/secret-files.ts';

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

describe('docs/deployment.md', () => {
  const text = readFileSync('docs/deployment.md', 'utf8');

  test('names only variables that exist', () => {
    const known = [...Object.keys(Environment.properties), ...SECRET_FILES];
    const named = [...text.matchAll(/\b(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+\b/g)].map(([name]) => name);
    expect(new Set(named).size).toBeGreaterThan(20);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('links only to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)/g)].map(([, path]) => `docs/${path}`);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });
});
