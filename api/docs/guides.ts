import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderMarkdown } from './markdown.ts';
import type { DocsPage } from './pages/layout.ts';

/** `npm run build` copies the files that the pages need to the same place in dist. */
export const TEXTS = join(import.meta.dirname, '..', '..', 'docs');

/** The base URL in the texts, which a page replaces by that of its service. */
const EXAMPLE_BASE = 'http://127.0.0.1:8080/api';

/** The pages that are Markdown in docs/, by file. */
const PATHS = {
  'quickstart.md': 'quickstart',
  'idempotency-keys.md': 'idempotency',
  'polling.md': 'polling',
} as const;

/** What else the texts link to, below /docs. */
const TARGETS: Readonly<Record<string, string>> = {
  ...PATHS,
  'errors.md': 'errors',
  'examples/quickstart.ts': 'assets/quickstart.ts',
  'sample-room.jpg': 'assets/sample-room.jpg',
};

/** Reads the guides. @param base path of the docs as the browser sees it */
export async function readGuides(publicUrl: string, base: string): Promise<DocsPage[]> {
  return Promise.all(
    Object.entries(PATHS).map(async ([file, path]) => {
      const text = await readFile(join(TEXTS, file), 'utf8');
      return { path, ...renderMarkdown(text.replaceAll(EXAMPLE_BASE, publicUrl), resolver(base)) };
    }),
  );
}

function resolver(base: string) {
  return (target: string): string | undefined => {
    if (target === '/docs' || target.startsWith('/docs/')) return `${base}${target.slice('/docs'.length)}`;
    const [file = '', anchor] = target.split('#', 2);
    const path = TARGETS[file];
    return path === undefined ? undefined : `${base}/${path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
}
