import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ICON, REFERENCE_SCRIPT, REFERENCE_STYLE, STYLE } from './style.ts';

export interface Asset {
  type: string;
  content(): Promise<string>;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const text = (type: string, content: string): Asset => ({ type, content: async () => content });

/** A file of the bundled Swagger UI, so that the pages work offline. Read once, on the first request. */
function swaggerUi(type: string, name: string): Asset {
  let content: Promise<string> | undefined;
  return {
    type,
    content() {
      const folder = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json');
      content ??= readFile(join(folder, '../static', name), 'utf8');
      return content;
    },
  };
}

/** The assets of the pages, by file name. */
export function createAssets(): ReadonlyMap<string, Asset> {
  return new Map([
    ['style.css', text(CSS, STYLE)],
    ['reference.css', text(CSS, REFERENCE_STYLE)],
    ['reference.js', text(SCRIPT, REFERENCE_SCRIPT)],
    ['icon.svg', text('image/svg+xml', ICON)],
    ['swagger-ui.css', swaggerUi(CSS, 'swagger-ui.css')],
    ['swagger-ui-bundle.js', swaggerUi(SCRIPT, 'swagger-ui-bundle.js')],
  ]);
}
