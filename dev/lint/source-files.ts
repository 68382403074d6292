import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders without code of the service. */
const IGNORED = new Set(['node_modules', 'dist', 'test', '.git', '.stack']);

/** Paths of all TypeScript files of the service, its tools and its documents. */
export function sourceFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
