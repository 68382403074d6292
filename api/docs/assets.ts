import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Not the plugin of @fastify/swagger-ui: it also serves the document as JSON and YAML, converted anew for every request
// of a caller without a key (6 and 33 times as long as /openapi.json takes), and has a page without our navigation.

export interface Asset {
  type: string;
  content(): Promise<string>;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const OWN = join(import.meta.dirname, 'assets');
const SWAGGER_UI = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
);

/** The assets of the pages, by file name. Swagger UI comes from its package, so that the pages work offline. */
export function createAssets(): ReadonlyMap<string, Asset> {
  return new Map([
    asset(OWN, 'style.css', CSS),
    asset(OWN, 'reference.css', CSS),
    asset(OWN, 'reference.js', SCRIPT),
    asset(OWN, 'icon.svg', 'image/svg+xml'),
    asset(SWAGGER_UI, 'swagger-ui.css', CSS),
    asset(SWAGGER_UI, 'swagger-ui-bundle.js', SCRIPT),
  ]);
}

/** A file that is read once, on the first request. */
function asset(folder: string, name: string, type: string): [string, Asset] {
  let content: Promise<string> | undefined;
  return [
    name,
    {
      type,
      content() {
        content ??= readFile(join(folder, name), 'utf8');
        return content;
      },
    },
  ];
}
