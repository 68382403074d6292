import { join } from 'node:path';
import { create } from 'tar';
import { runCommand } from '../../dev/process/command.ts';
import { RECORDED_BUILD } from './recorded-build.ts';

/** `npx tsx test/upgrade/record.ts`: builds this version and stores the build as the one that the test upgrades from. */
const root = join(import.meta.dirname, '..', '..');
await runCommand('npm', ['run', 'build'], { cwd: root, signal: new AbortController().signal });
const filter = (path: string) => !path.endsWith('.map');
await create({ file: RECORDED_BUILD, cwd: root, gzip: true, portable: true, mtime: new Date(0), filter }, [
  'dist',
  'package.json',
]);
