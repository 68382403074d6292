import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installClientTools } from '../../dev/client-tools/install.ts';
import { runCommand } from '../../dev/process/command.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { folderOfFile } from '../setup/temporary-folder.ts';
import { requestsOfAllTools } from './requests-of-all-tools.ts';

/** What a client is compiled with: strict, with the libraries of a browser. */
const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  types: [],
};

const folder = folderOfFile();
const document = join(folder, 'openapi.json');
const stop = new AbortController();
let tools: string;
const node = (...args: string[]) => runCommand(process.execPath, args, { signal: stop.signal });

beforeAll(async () => {
  tools = await installClientTools(stop.signal);
  await using api = await startFakeApi(Buffer.alloc(0));
  await writeFile(document, (await api.app.inject({ url: '/api/openapi.json' })).body);
});
afterAll(() => stop.abort());

/** Compiles files of clients/ and requests of all tools next to what a generator has made. */
async function compile(generated: string, ...files: string[]): Promise<string> {
  for (const file of files) await cp(join(import.meta.dirname, 'clients', file), join(generated, file));
  await writeFile(join(generated, 'all-tools.ts'), requestsOfAllTools());
  await writeFile(join(generated, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  return node('node_modules/typescript/bin/tsc', '--project', generated);
}

describe('right calls compile, and those with a wrong tool, option or value or without an image do not', () => {
  test('with the types of openapi-typescript', async () => {
    const generated = join(folder, 'types');
    await mkdir(generated);
    const output = join(generated, 'types.gen.ts');
    await node(
      join(tools, 'openapi-typescript/bin/cli.js'),
      document,
      '--output',
      output,
      '--root-types',
      '--root-types-no-schema-prefix',
    );
    expect(await compile(generated, 'jobs.ts', 'paths.ts')).toBe('');
  });

  test('with the client of @hey-api/openapi-ts', async () => {
    const generated = join(folder, 'sdk');
    const generator = join(tools, '@hey-api/openapi-ts/bin/run.js');
    await node(generator, '--input', document, '--output', generated, '--silent', '--no-log-file');
    expect(await compile(generated, 'jobs.ts', 'sdk.ts')).toBe('');
  });
});
