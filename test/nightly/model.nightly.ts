import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { obtainTlc } from '../../dev/obtain/tlc.ts';
import { environment } from '../../lib/process/config/config.ts';
import { folderOfFile } from '../setup/temporary-folder.ts';
import { CONFIGURATIONS } from './model/configurations.ts';
import { requireJava, search } from './model/tlc.ts';

const folder = folderOfFile();
const rows = readFileSync('docs/model/README.md', 'utf8').split('\n');
let jar: string;

beforeAll(async () => {
  await requireJava();
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  jar = await obtainTlc({ env: environment(), say, signal: new AbortController().signal });
});

/** The number of states in the row of docs/model/README.md; undefined where a search ends early. */
function documentedStates(name: string): number | undefined {
  const row = rows.find((line) => line.startsWith(`| ${name} |`)) ?? '';
  const [, states] = /\| ([\d,]+) \|$/.exec(row) ?? [];
  return states === undefined ? undefined : Number(states.replaceAll(',', ''));
}

test.each(Object.entries(CONFIGURATIONS))('%s', async (name, configuration) => {
  const { violated, states, output } = await search(jar, configuration, join(folder, name));
  expect(violated, output).toBe(configuration.violated);
  expect(violated === undefined ? states : undefined).toBe(documentedStates(name));
});
