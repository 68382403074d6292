import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONFIGURATIONS } from '../nightly/model/configurations.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const readme = read('docs/model/README.md');
const modules = ['Acceptance', 'Ending'].map((name) => read(`docs/model/${name}.tla`));

/** The cells of the rows below a heading, without the head. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The actions of a module: what Next, or Steps and Faulty, choose from. */
function actionsOf(module: string): string[] {
  const [, choices = ''] = /\n(?:Own\(a\)|Steps) == ([\s\S]*?)\n(?:Fair|Spec) ==/.exec(module) ?? [];
  const defined = new Set([...module.matchAll(/^([A-Z]\w+)(?:\(\w+\))? ==/gm)].map(([, name]) => name));
  const named = [...choices.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name);
  return [...new Set(named)].filter((name) => defined.has(name) && isAction(module, name));
}

const isAction = (module: string, name: string) =>
  new RegExp(`\\n${name}(\\(\\w+\\))? ==[^\\n]*\\n(?:  .*\\n)*?.*UNCHANGED`).test(module);

const isDefined = (name: string, source: string) =>
  new RegExp(`(function\\*?|const|class) ${name}\\b|^\\s+(async )?${name}[(:]`, 'm').test(source);

test('every file and function that the model names exists', () => {
  const missing = rowsOf('Actions and code').flatMap(([, file = '', functions = '']) => {
    if (file === '') return [];
    const source = existsSync(file) ? read(file) : '';
    const gone = functions.split(', ').filter((name) => !isDefined(name, source));
    return gone.map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('every action of the model names its code, and no other action is named', () => {
  const named = rowsOf('Actions and code').flatMap(([actions = '']) => actions.split(', '));
  const actions = modules.flatMap(actionsOf);
  expect(actions.length).toBeGreaterThan(50);
  expect([...new Set(named)].sort()).toEqual([...new Set(actions)].sort());
});

test('the documented results are those that the nightly run expects', () => {
  const documented = rowsOf('Results').map(([name = '', , expected = '']) => [name, expected]);
  const expected = Object.entries(CONFIGURATIONS).map(([name, { violated }]) => [
    name,
    violated === undefined ? 'holds' : `\`${violated}\` is violated`,
  ]);
  expect(documented).toEqual(expected);
});

test('every mechanism is left out by a configuration', () => {
  const all = modules.flatMap((module) => {
    const [, list = ''] = /AllMechanisms == \{(.*)\}/.exec(module) ?? [];
    return [...list.matchAll(/\w+/g)].map(([name]) => name);
  });
  const leftOut = all.filter((name) =>
    Object.values(CONFIGURATIONS).some(({ module, constants: { Mechanisms } }) => {
      const known = modules[module === 'Acceptance' ? 0 : 1]?.includes(`Has("${name}")`);
      return known && Array.isArray(Mechanisms) && !Mechanisms.includes(name);
    }),
  );
  expect(leftOut).toEqual(all);
});
