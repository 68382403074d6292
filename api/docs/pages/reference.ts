import { renderInline, renderMarkup } from '../markdown.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { objectFields, type ReferencePage } from '../reference/fields.ts';
import { operationSection } from '../reference/operation.ts';
import type { DocumentedRoute } from '../reference/samples.ts';
import { referredName, resolveSchema } from '../reference/schemas.ts';
import { type Html, html } from './html.ts';
import type { DocsPage } from './layout.ts';

/** Every operation and object of the document. Requests are sent by Swagger UI, which is loaded when it is asked for. */
export function referencePage(document: OpenApiDocument, base: string): DocsPage {
  const openApi = `${base.replace(/\/docs$/, '')}/openapi.json`;
  const reference: ReferencePage = { document, base, named: new Set() };
  const routes = routesOf(document);
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    routes: routes.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const sections = groups.map((group) => groupSection(group, reference));
  for (const name of webhookNames(document)) reference.named.add(name);
  return {
    path: '',
    title: 'Reference',
    lead: 'Every operation with its fields, responses and errors, and how to call it.',
    wide: true,
    head: html`<link rel="stylesheet" href="${base}/assets/reference.css">`,
    content: html`
<nav class="index" aria-label="Operations">${groups.map(indexOf)}</nav>
<p>New here? The <a href="${base}/quickstart">quickstart</a> takes five minutes. Generate a client from <a href="${openApi}">the OpenAPI document</a>.</p>
${renderMarkup(document.info.description ?? '')}
<h2 id="samples">Samples and requests</h2>
<p>The curl samples expect the base URL, <code>${document.servers?.[0]?.url ?? ''}</code>, in <code>BASE</code>, your key in <code>KEY</code>, and the id of the path in a variable such as <code>JOB_ID</code>; those in TypeScript expect <code>base</code>, <code>key</code> and <code>jobId</code>.</p>
<div id="reference" class="console" data-document="${openApi}" data-assets="${base}/assets">
<label for="key">To send requests from this page, enter your key. It is not stored.</label>
<input id="key" type="password" autocomplete="off" spellcheck="false">
<noscript><p>Sending requests needs JavaScript.</p></noscript>
</div>
${sections}
<h2 id="objects">Objects</h2>
${objectSections(reference)}
<script src="${base}/assets/reference.js"></script>`,
  };
}

interface Group {
  name: string;
  description: string;
  routes: DocumentedRoute[];
}

function routesOf({ paths }: OpenApiDocument): DocumentedRoute[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function indexOf({ name, routes }: Group): Html {
  const links = routes.map(
    ({ operation: { operationId, summary = operationId } }) =>
      html`<li><a href="#${operationId}">${summary}</a></li>`,
  );
  return html`<section><h2><a href="#tag-${name}">${name}</a></h2><ul>${links}</ul></section>`;
}

function groupSection({ name, description, routes }: Group, reference: ReferencePage): Html {
  return html`
<h2 id="tag-${name}">${name}</h2>
<p class="quiet">${description}</p>
${routes.map((route) => operationSection(reference, route))}`;
}

/** The schemas of the bodies of webhooks. */
function webhookNames({ webhooks }: OpenApiDocument): string[] {
  return Object.values(webhooks).flatMap(({ post }) => {
    const body = post?.requestBody;
    const schema =
      body !== undefined && 'content' in body ? body.content['application/json']?.schema : undefined;
    const name = schema === undefined ? undefined : referredName({ ...schema });
    return name ?? [];
  });
}

/** One section for each object that is linked to; rendering one can add others. */
function objectSections(reference: ReferencePage): Html[] {
  const sections: Html[] = [];
  // A Set also iterates over what is added meanwhile.
  for (const name of reference.named) {
    const schema = { $ref: `#/components/schemas/${name}` };
    sections.push(html`
<section class="entry" id="${name}" aria-labelledby="${name}-title">
<h3 id="${name}-title"><a class="anchor" href="#${name}">${name}</a></h3>
<p>${renderInline(resolveSchema(reference.document, schema).description ?? '')}</p>
${objectFields(reference, schema)}
</section>`);
  }
  return sections;
}
