import { type Html, html, prose } from './html.ts';

export interface DocsPage {
  /** Path below /docs, such as `errors`; empty for the reference. */
  path: string;
  title: string;
  /** One or two sentences below the heading. Backticks mark names. */
  lead: string;
  content: Html;
  /** The reference needs the width of the window and its own style and scripts. */
  wide?: true;
  head?: Html;
}

const NAVIGATION = [
  ['quickstart', 'Quickstart'],
  ['', 'Reference'],
  ['tools', 'Tools'],
  ['idempotency', 'Idempotency'],
  ['polling', 'Polling'],
  ['webhooks', 'Webhooks'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['changelog', 'Changelog'],
] as const;

/** Renders the HTML document of a page. @param base path of the docs as the browser sees it, such as `/api/docs` */
export function layout(page: DocsPage, base: string): string {
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.lead.replaceAll('`', '')}">
<title>${page.title} · Image Job API</title>
<link rel="icon" href="${base}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/assets/style.css">
${page.head ?? null}
</head>
<body${page.wide ? html` class="wide"` : null}>
<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div>
<a class="brand" href="${base}"><img src="${base}/assets/icon.svg" alt="" width="22" height="22">Image Job API</a>
<nav aria-label="Pages"><ul>${NAVIGATION.map(([path, name]) => navigationItem(path, name, page, base))}</ul></nav>
</div></header>
<main id="content">
<h1>${page.title}</h1>
<p class="lead">${prose(page.lead)}</p>
${page.content}
</main>
<footer><p>Image Job API, version 1 · <a href="${base.replace(/\/docs$/, '')}/openapi.json">OpenAPI document</a></p></footer>
</body>
</html>
`;
  return body.markup;
}

function navigationItem(path: string, name: string, page: DocsPage, base: string): Html {
  const current = path === page.path ? html` aria-current="page"` : null;
  return html`<li><a href="${base}${path === '' ? '' : `/${path}`}"${current}>${name}</a></li>`;
}
