import { cp, mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { publint } from 'publint';
import { x as unpack } from 'tar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../dev/process/command.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { connectAssistant } from './assistant.ts';

const stop = new AbortController();
afterAll(() => stop.abort());

const folder = folderOfFile();
/** Where a project has it that has installed it. */
const installed = join(folder, 'node_modules', 'image-job-mcp');
const run = (cwd: string, command: string, ...args: string[]) =>
  runCommand(command, args, { cwd, signal: stop.signal });

let files: string[];

/** Builds a package in a copy of the repository's folders, packs it and installs it. @returns its files */
async function install(name: string, as: string): Promise<string[]> {
  const sources = join(folder, 'packages', name);
  await cp(join('packages', name), sources, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  await run('.', process.execPath, 'node_modules/typescript/bin/tsc', '--project', sources);
  const [packed] = JSON.parse(await run(sources, 'npm', 'pack', '--json'));
  await unpack({ file: join(sources, packed.filename), cwd: folder });
  await rename(join(folder, 'package'), join(folder, 'node_modules', as));
  return packed.files.map(({ path }: { path: string }) => path);
}

beforeAll(async () => {
  await mkdir(join(folder, 'node_modules'));
  await cp('tsconfig.json', join(folder, 'tsconfig.json'));
  for (const name of ['@modelcontextprotocol', '@types', 'zod'])
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name));
  await install('client', 'image-job');
  files = await install('mcp', 'image-job-mcp');
}, 120_000);

test('the packed package has its build, its README and its license, and nothing else', () => {
  const others = files.filter((path) => !/^dist\/(tools\/)?[\w-]+\.js$/.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('it is clean for publint, and depends on the version of the client that is beside it', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true });
  expect(messages).toEqual([]);
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const client = JSON.parse(await readFile('packages/client/package.json', 'utf8'));
  const root = JSON.parse(await readFile('package.json', 'utf8')).devDependencies;
  expect(dependencies['image-job']).toBe(`^${client.version}`);
  expect(dependencies['@modelcontextprotocol/sdk']).toBe(root['@modelcontextprotocol/sdk']);
});

test('it serves over stdio by the name of its bin', async () => {
  const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const file = join(installed, bin['image-job-mcp']);
  expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const env = { IMAGE_JOB_API_KEY: 'ij_test', IMAGE_JOB_BASE_URL: 'http://127.0.0.1:9/api' };
  const { client } = await connectAssistant(
    new StdioClientTransport({ command: process.execPath, args: [file], env }),
  );
  expect(client.getServerVersion()).toMatchObject({ name: 'image-job', version: '0.1.0' });
  expect((await client.listTools()).tools).toHaveLength(5);
  await client.close();
});
