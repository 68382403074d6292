import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { GeneratorOrders } from '../../lib/catalog/catalog.ts';
import { createAssets } from './assets.ts';
import { createContent, type DocsContent, sendContent } from './content.ts';
import { readGuides } from './guides.ts';
import { finishDocument, swaggerOptions } from './openapi/document.ts';
import type { OpenApiDocument } from './openapi/types.ts';
import { changelogPage } from './pages/changelog.ts';
import { errorsPage } from './pages/errors.ts';
import { type DocsPage, layout } from './pages/layout.ts';
import { type ConfiguredLimits, limitsPage } from './pages/limits.ts';
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
  limits: ConfiguredLimits;
}

/**
 * Serves /openapi.json and the pages below /docs, without a key. Must be registered before the routes, because the
 * document is generated as they are added.
 */
export function registerDocs(app: FastifyInstance, options: DocsOptions): void {
  const { publicUrl, prefix } = options;
  app.register(swagger, swaggerOptions(publicUrl, prefix));
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/docs`;
  registerRedirects(app, prefix, base);
  app.register(
    async (scope) => {
      // Caches give the id of one request to everybody, so its client may not choose it.
      scope.setGenReqId(() => randomUUID());
      const document = once(() => finishDocument(app.swagger(), publicUrl));
      registerDocument(scope, document);
      registerPage(scope, '', base, () => referencePage(document(), base));
      const pages = [...(await readGuides(publicUrl, base)), ...generatedPages(options, base)];
      for (const page of pages) registerPage(scope, page.path, base, () => page);
      await registerAssets(scope);
    },
    { prefix },
  );
}

function registerDocument(app: FastifyInstance, document: () => OpenApiDocument): void {
  const serialized = () => Buffer.from(JSON.stringify(document()));
  registerContent(app, '/openapi.json', () => createContent('application/json; charset=utf-8', serialized()));
}

const generatedPages = ({ orders, limits }: DocsOptions, base: string): DocsPage[] => [
  toolsPage(orders, base),
  errorsPage,
  limitsPage(limits),
  webhooksPage,
  changelogPage,
];

/** @param base path of the docs as the browser sees it; a proxy may add to the prefix */
function registerPage(app: FastifyInstance, path: string, base: string, page: () => DocsPage): void {
  const create = () => createContent('text/html; charset=utf-8', Buffer.from(layout(page(), base)));
  registerContent(app, path === '' ? '/docs' : `/docs/${path}`, create, {
    'Content-Security-Policy': POLICY,
  });
}

/** Creates the content once the API listens: all routes are registered, and the document describes them. */
function registerContent(
  app: FastifyInstance,
  url: string,
  create: () => Promise<DocsContent>,
  headers: Record<string, string> = {},
): void {
  const load = once(create);
  app.addHook('onListen', async () => void (await load()));
  app.get(url, HIDDEN, async (request, reply) => sendContent(request, reply.headers(headers), await load()));
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

async function registerAssets(app: FastifyInstance): Promise<void> {
  for (const [name, content] of await createAssets())
    app.get(`/docs/assets/${name}`, HIDDEN, async (request, reply) => sendContent(request, reply, content));
}
