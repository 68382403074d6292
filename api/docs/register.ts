import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { GeneratorOrders } from '../../catalog/catalog.ts';
import { createAssets } from './assets.ts';
import { finishDocument, swaggerOptions } from './openapi/document.ts';
import { changelogPage } from './pages/changelog.ts';
import { errorsPage } from './pages/errors.ts';
import { layout, type Page } from './pages/layout.ts';
import { limitsPage } from './pages/limits.ts';
import { referencePage } from './pages/reference.ts';
import { toolsPage } from './pages/tools.ts';
import { webhooksPage } from './pages/webhooks.ts';

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
  app.register(
    async (scope) => {
      registerDocument(scope, publicUrl);
      registerPages(scope, `${new URL(publicUrl).pathname.replace(/\/$/, '')}/docs`, orders);
      registerAssets(scope);
    },
    { prefix },
  );
}

function registerDocument(app: FastifyInstance, publicUrl: string): void {
  let document: string | undefined;
  app.get('/openapi.json', HIDDEN, async (_request, reply) => {
    document ??= JSON.stringify(finishDocument(app.swagger(), publicUrl));
    return send(reply, 'application/json; charset=utf-8', document);
  });
}

/** @param base path of the docs as the browser sees it; a proxy may add to the prefix */
function registerPages(app: FastifyInstance, base: string, orders: GeneratorOrders): void {
  app.get('', HIDDEN, async (_request, reply) => reply.redirect(base));
  for (const page of [
    referencePage(base),
    toolsPage(orders),
    errorsPage,
    limitsPage,
    webhooksPage,
    changelogPage,
  ])
    registerPage(app, page, base);
}

function registerPage(app: FastifyInstance, page: Page, base: string): void {
  const markup = layout(page, base);
  app.get(page.path === '' ? '/docs' : `/docs/${page.path}`, HIDDEN, async (_request, reply) => {
    reply.header('Content-Security-Policy', POLICY);
    return send(reply, 'text/html; charset=utf-8', markup);
  });
}

function registerAssets(app: FastifyInstance): void {
  for (const [name, { type, content }] of createAssets())
    app.get(`/docs/assets/${name}`, HIDDEN, async (_request, reply) => send(reply, type, await content()));
}

function send(reply: FastifyReply, type: string, content: string): FastifyReply {
  return reply
    .headers({
      'Content-Type': type,
      'Cache-Control': 'public, max-age=300',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    .send(content);
}
