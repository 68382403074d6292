import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { runCommand } from '../../dev/process/command.ts';

const root = join(import.meta.dirname, '..', '..');

/** Makes in `folder` what the Dockerfile makes, without Docker. @returns the folder that the image has as /app */
export async function createProductionTree(folder: string, signal: AbortSignal): Promise<string> {
  const [sources, app] = [join(folder, 'sources'), join(folder, 'app')];
  await build(sources, signal);
  for (const path of ['dist', 'package.json'])
    cpSync(join(sources, path), join(app, path), { recursive: true });
  // The packages that `npm ci --omit=dev` installs, without asking a registry for them.
  const args = ['ls', '--omit=dev', '--all', '--parseable', '--workspaces=false'];
  const packages = await runCommand('npm', args, { cwd: root, signal });
  for (const path of packages.trim().split('\n'))
    if (path !== root) copyPackage(path, join(app, relative(root, path)));
  await runCommand(join(root, 'deploy/prune-packages.sh'), [join(app, 'node_modules')], { signal });
  return app;
}

/** The build sees the files that Docker sends to it, and all packages. */
async function build(sources: string, signal: AbortSignal): Promise<void> {
  const ignored = new Set(readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n'));
  cpSync(root, sources, { recursive: true, filter: (path) => !ignored.has(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'));
  await runCommand('npm', ['run', 'build'], { cwd: sources, signal });
}

/** Packages installed inside of a package are listed, and so copied, by themselves. */
function copyPackage(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => path === from || basename(path) !== 'node_modules' });
}
