import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { GeneratorOrders } from '../../catalog/catalog.ts';
import { createAssets } from './assets.ts';
import { type Content, createContent, sendContent } from './content.ts';
import { readGuides } from './guides.ts';
import { finishDocument, swaggerOptions } from './openapi/document.ts';
import { changelogPage } from './pages/changelog.ts';
import { errorsPage } from './pages/errors.ts';
import { layout, type Page } from './pages/layout.ts';
import { limitsPage } from './pages/limits.ts';
import { referencePage } from './pages/reference.ts';
import { toolsPage } from './pages/tools.ts';
import { webhooksPage } from './pages/webhooks.ts';
import { registerRedirects } from './redirects.ts';

/** No third-party and no inline content. Swagger UI loads its icons from data URLs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Excluded from the OpenAPI document, which describes /v1 only. */
const HIDDEN = { schema: { hide: true } };

export interface DocsOptions {
  publicUrl: string;
  prefix: string;
  /** The generators of each group of tools. */
  orders: GeneratorOrders;
}

/**
 * Serves /openapi.json and the pages below /docs, without a key. Must be registered before the routes, because the
 * document is generated as they are added.
 */
export function registerDocs(app: FastifyInstance, { publicUrl, prefix, orders }: DocsOptions): void {
  app.register(swagger, swaggerOptions(publicUrl, prefix));
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/docs`;
  registerRedirects(app, prefix, base);
  app.register(
    async (scope) => {
      registerDocument(scope, publicUrl);
      const guides = await readGuides(publicUrl, base);
      await Promise.all([registerPages(scope, base, guides, orders), registerAssets(scope)]);
    },
    { prefix },
  );
}

function registerDocument(app: FastifyInstance, publicUrl: string): void {
  let document: Promise<Content> | undefined;
  const load = () => {
    document ??= createContent(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(finishDocument(app.swagger(), publicUrl))),
    );
    return document;
  };
  // Not before all routes are registered.
  app.addHook('onReady', async () => void (await load()));
  app.get('/openapi.json', HIDDEN, async (request, reply) => sendContent(request, reply, await load()));
}

/** @param base path of the docs as the browser sees it; a proxy may add to the prefix */
async function registerPages(
  app: FastifyInstance,
  base: string,
  guides: readonly Page[],
  orders: GeneratorOrders,
): Promise<void> {
  const generated = [toolsPage(orders), errorsPage, limitsPage, webhooksPage, changelogPage];
  const pages = [referencePage(base), ...guides, ...generated];
  await Promise.all(pages.map((page) => registerPage(app, page, base)));
}

async function registerPage(app: FastifyInstance, page: Page, base: string): Promise<void> {
  const content = await createContent('text/html; charset=utf-8', Buffer.from(layout(page, base)));
  app.get(page.path === '' ? '/docs' : `/docs/${page.path}`, HIDDEN, async (request, reply) => {
    reply.header('Content-Security-Policy', POLICY);
    return sendContent(request, reply, content);
  });
}

async function registerAssets(app: FastifyInstance): Promise<void> {
  for (const [name, content] of await createAssets())
    app.get(`/docs/assets/${name}`, HIDDEN, async (request, reply) => sendContent(request, reply, content));
}
