import { html } from './html.ts';
import type { Page } from './layout.ts';

/** The OpenAPI document in Swagger UI. Everything is loaded from this service. */
export function referencePage(base: string): Page {
  const document = `${base.replace(/\/docs$/, '')}/openapi.json`;
  return {
    path: '',
    title: 'Reference',
    lead: 'Every operation with its fields, responses and examples. Authorize with your key to send requests from this page.',
    wide: true,
    head: html`<link rel="stylesheet" href="${base}/assets/swagger-ui.css">
<link rel="stylesheet" href="${base}/assets/reference.css">`,
    content: html`
<noscript><p>This page needs JavaScript. <a href="${document}">The OpenAPI document</a> has the same content.</p></noscript>
<div id="reference" data-document="${document}"></div>
<script src="${base}/assets/swagger-ui-bundle.js"></script>
<script src="${base}/assets/reference.js"></script>`,
  };
}
