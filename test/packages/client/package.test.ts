import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { x as unpack } from 'tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installClientTools } from '../../../dev/client-tools/install.ts';
import { runCommand } from '../../../dev/process/command.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';

const stop = new AbortController();
afterAll(() => stop.abort());

const folder = folderOfFile();
const sources = join(folder, 'sources');
/** Where a project has it that has installed it. */
const installed = join(folder, 'node_modules', 'image-job');
const run = (cwd: string, command: string, ...args: string[]) =>
  runCommand(command, args, { cwd, signal: stop.signal });
const tsc = (compiler: string, ...args: string[]) =>
  run('.', process.execPath, join(compiler, 'bin/tsc'), ...args);
const TYPESCRIPT_7 = 'node_modules/typescript';

let files: string[];
let archive: string;
let tools: string;

beforeAll(async () => {
  await cp('packages/client', sources, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  await tsc(TYPESCRIPT_7, '--project', 'packages/client', '--outDir', join(sources, 'dist'));
  const [packed] = JSON.parse(await run(sources, 'npm', 'pack', '--json'));
  files = packed.files.map(({ path }: { path: string }) => path);
  archive = join(sources, packed.filename);
  tools = await installClientTools(stop.signal);
  await mkdir(join(folder, 'node_modules'));
  await unpack({ file: archive, cwd: folder });
  await rename(join(folder, 'package'), installed);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
}, 120_000);

describe('the packed package', () => {
  test('has its build, its README and its license, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/(cli\/)?[\w-]+\.(js|d\.ts)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/node.js', 'dist/cli/main.js']));
  });

  test('depends on nothing', async () => {
    const described = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
      expect(described).not.toHaveProperty(kind);
  });

  test('is clean for publint', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true });
    expect(messages).toEqual([]);
  });

  test('has right types for arethetypeswrong, as a package of ES modules only', async () => {
    const attw = join(tools, '@arethetypeswrong/cli/dist/index.js');
    await run('.', process.execPath, attw, archive, '--profile', 'esm-only');
  });

  test('runs its command by the name of its bin', async () => {
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const file = join(installed, bin['image-job']);
    expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await run(folder, process.execPath, file, '--version')).toBe('0.1.0\n');
  });

  test('imports nothing of Node in its core', async () => {
    const read = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (read.has(path)) return;
      read.add(path);
      const text = await readFile(path, 'utf8');
      for (const [, specifier = ''] of text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)) {
        expect(specifier, path).toMatch(/^\.\/[\w-]+\.js$/);
        await visit(join(installed, 'dist', specifier));
      }
    };
    await visit(join(installed, 'dist', 'index.js'));
    expect(read.size).toBeGreaterThan(10);
  });
});

describe.each([
  ['TypeScript 7', () => TYPESCRIPT_7],
  ['TypeScript 5', () => join(tools, 'typescript')],
])('compiled with %s,', (_name, compiler) => {
  const OPTIONS = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'ES2022',
  };

  const BROWSER = {
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
  };
  const NODE = {
    lib: ['ES2023'],
    module: 'NodeNext',
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  };

  async function compile(name: string, text: string, compilerOptions: object): Promise<string> {
    const project = join(folder, `tsconfig.${name}.json`);
    await writeFile(join(folder, `${name}.ts`), text);
    const config = { compilerOptions: { ...OPTIONS, ...compilerOptions }, files: [`${name}.ts`] };
    await writeFile(project, JSON.stringify(config));
    return tsc(compiler(), '--project', project);
  }

  test.each([
    ['browser', BROWSER],
    ['node', NODE],
  ])('right calls in a %s program are accepted, and wrong ones are errors', async (name, options) => {
    const text = await readFile(join(import.meta.dirname, 'consumers', `${name}.ts`), 'utf8');
    expect(await compile(name, text, options)).toBe('');
  });

  test('the examples of the README are right', async () => {
    const readme = await readFile('packages/client/README.md', 'utf8');
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text);
    expect(examples.length).toBeGreaterThan(4);
    expect(await compile('readme', examples.join('\n'), NODE)).toBe('');
  });
});
