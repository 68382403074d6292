import { html } from './html.ts';
import type { Page } from './layout.ts';

/** The operations of the OpenAPI document, browsable and callable. Everything it loads comes from this service. */
export function referencePage(base: string): Page {
  const document = `${base.replace(/\/docs$/, '')}/openapi.json`;
  return {
    path: '',
    title: 'Reference',
    lead: 'Every operation with its fields, answers and examples. Authorize with your key to send requests from this page.',
    wide: true,
    head: html`<link rel="stylesheet" href="${base}/assets/swagger-ui.css">
<link rel="stylesheet" href="${base}/assets/reference.css">`,
    content: html`
<noscript><p>This page needs JavaScript. <a href="${document}">The OpenAPI document</a> says the same.</p></noscript>
<div id="reference" data-document="${document}"></div>
<script src="${base}/assets/swagger-ui-bundle.js"></script>
<script src="${base}/assets/reference.js"></script>`,
  };
}
