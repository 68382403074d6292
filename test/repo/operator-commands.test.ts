import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { NOUNS } from '../../operator/commands/nouns.ts';
import { openDeps } from '../../operator/deps.ts';

const program = new Command('operator');
const deps = openDeps(() => {
  throw new Error('The commands are not run.');
});
for (const noun of NOUNS) noun(program, { deps, show: () => {}, confirm: async () => {} });

/** Every command by its full name. */
const commands = program.commands.flatMap((noun) =>
  noun.commands.length === 0
    ? [[noun.name(), noun] as const]
    : noun.commands.map((verb) => [`${noun.name()} ${verb.name()}`, verb] as const),
);

test.each(commands)('%s is explained by its help and listed in docs/operations.md', (name, command) => {
  expect(command.description().length).toBeGreaterThan(10);
  const listed = readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`[^|]*) \|/gm);
  const names = [...listed].map(([, cell = '']) => cell).join(' ');
  expect(names).toMatch(new RegExp(`\`${name}[ \`]`));
});
