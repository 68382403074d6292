import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createContent, type DocsContent } from './content.ts';
import { TEXTS } from './guides.ts';
import { sampleFiles, TOOL_SAMPLES } from './tool-samples.ts';

// Not the plugin of @fastify/swagger-ui: it also serves the document as JSON and YAML, converted anew for every request
// of a caller without a key (6 and 33 times as long as /openapi.json takes), and has a page without our navigation.

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const JPEG = 'image/jpeg';
const TEXT = 'text/plain; charset=utf-8';
const OWN = join(import.meta.dirname, 'assets');
const SWAGGER_UI = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
);

/** The assets of the pages, by file name. Swagger UI comes from its package, so that the pages work offline. */
export async function createAssets(): Promise<ReadonlyMap<string, DocsContent>> {
  const samples = Object.entries(TOOL_SAMPLES).flatMap(([slug, sample]) =>
    Object.values(sampleFiles(slug, sample)),
  );
  const assets = await Promise.all([
    ...[...new Set(samples)].map((name) => asset(OWN, name, JPEG)),
    asset(OWN, 'style.css', CSS),
    asset(OWN, 'reference.css', CSS),
    asset(OWN, 'reference.js', SCRIPT),
    asset(OWN, 'icon.svg', 'image/svg+xml'),
    asset(TEXTS, 'sample-room.jpg', JPEG),
    asset(join(TEXTS, 'examples'), 'quickstart.ts', TEXT),
    asset(SWAGGER_UI, 'swagger-ui.css', CSS),
    asset(SWAGGER_UI, 'swagger-ui-bundle.js', SCRIPT),
  ]);
  return new Map(assets);
}

async function asset(folder: string, name: string, type: string): Promise<[string, DocsContent]> {
  return [name, await createContent(type, await readFile(join(folder, name)))];
}
