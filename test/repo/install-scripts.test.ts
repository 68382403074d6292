import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCommand } from '../../dev/process/command.ts';

test('npm runs no script of a package that it installs', async () => {
  const { signal } = new AbortController();
  expect(await runCommand('npm', ['config', 'get', 'ignore-scripts'], { signal })).toBe('true\n');
});

test('nor does it in the image of the service', () => {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');
  const copied = lines.filter((line) => line.startsWith('COPY package.json package-lock.json'));
  expect(copied).toEqual(Array(2).fill('COPY package.json package-lock.json .npmrc ./'));
});

test('so no script of ours relies on one that npm would run before or after it', () => {
  const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
  const around = ['install', ...scripts].flatMap((name) => [`pre${name}`, `post${name}`]);
  expect(scripts.filter((name) => [...around, 'install', 'prepare'].includes(name))).toEqual([]);
});
