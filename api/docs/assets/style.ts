/** Style sheet of every page. A string, because the build contains only compiled modules. */
export const STYLE = `:root {
  color-scheme: light dark;
  --text: #1b1f24; --quiet: #5b6570; --page: #ffffff; --raised: #f5f6f8; --line: #dfe3e8;
  --link: #0b5cad; --good: #1a6b3c; --good-back: #e3f4e9; --tag: #424b55; --tag-back: #e9ecf0;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e7eb; --quiet: #9aa4af; --page: #14171b; --raised: #1d2227; --line: #333a42;
    --link: #7db6f5; --good: #8fd8a8; --good-back: #17351f; --tag: #c3cad2; --tag-back: #2a3138;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; background: var(--page); padding: .25rem .5rem; }
.bar { position: sticky; top: 0; z-index: 1; background: var(--page); border-bottom: 1px solid var(--line); }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.75rem; }
.bar > div, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
.brand { display: flex; align-items: center; gap: .5rem; padding: .7rem 0; font-weight: 650; color: inherit; text-decoration: none; }
.bar nav { min-width: 0; overflow-x: auto; scrollbar-width: none; }
.bar ul { display: flex; gap: 1.25rem; margin: 0; padding: 0; list-style: none; }
.bar li { margin: 0; }
.bar li a { display: block; padding: .7rem 0 .55rem; border-bottom: 2px solid transparent; color: var(--quiet); text-decoration: none; }
.bar li a:hover { color: var(--text); }
.bar li a[aria-current] { color: var(--text); border-color: var(--link); }
main { padding-top: 2rem; padding-bottom: 3rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; }
.lead { margin: .5rem 0 2rem; max-width: 44rem; font-size: 1.125rem; color: var(--quiet); }
h2 { margin: 3rem 0 .75rem; font-size: 1.35rem; line-height: 1.3; letter-spacing: -.01em; }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; line-height: 1.5; }
p, ul, dl { margin: 0 0 1rem; max-width: 46rem; }
li { margin-bottom: .35rem; }
dt { font-weight: 600; }
dd { margin: 0 0 .75rem; }
code { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
:not(pre) > code { padding: .1em .3em; border-radius: 4px; background: var(--raised); }
pre { margin: 0 0 1.25rem; padding: 1rem 1.15rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); line-height: 1.5; }
.scroll { margin: 0 0 1.25rem; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
thead th { color: var(--quiet); font-size: .8125rem; }
td p, td p:last-child { margin: 0; }
.quiet { color: var(--quiet); }
.entry { padding: 1.25rem 0 .25rem; border-top: 1px solid var(--line); }
.entry:target h3 .anchor code { background: var(--good-back); color: var(--good); }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
.tag { display: inline-block; padding: .05rem .5rem; border-radius: 99px; background: var(--tag-back); color: var(--tag); font-size: .78rem; font-weight: 500; white-space: nowrap; }
.tag.good { background: var(--good-back); color: var(--good); }
.options { table-layout: fixed; }
.options th:first-child { width: 24%; }
.options thead th:last-child { width: 20%; }
.options tr:last-child > * { border-bottom: 0; }
.options thead tr:last-child > * { border-bottom: 1px solid var(--line); }
.options td:last-child { padding-right: 0; }
.values code { line-height: 1.9; white-space: nowrap; }
.index { columns: 15rem; column-gap: 2rem; margin-bottom: 1rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; }
.index section { break-inside: avoid; margin-bottom: 1rem; }
.index h2 { margin: 0 0 .25rem; font-size: .9375rem; }
.index ul { margin: 0; padding: 0; list-style: none; font-size: .9375rem; }
.index li { margin: 0; }
.index a { text-decoration: none; }
.index a:hover { text-decoration: underline; }
footer { padding-top: 1rem; padding-bottom: 2rem; color: var(--quiet); font-size: .875rem; }
footer p { border-top: 1px solid var(--line); padding-top: 1rem; max-width: none; }
.wide .bar > div, .wide main, .wide footer { max-width: 80rem; }
@media (max-width: 40rem) {
  .bar { position: static; }
  .index { columns: 12rem; }
  html { scroll-padding-top: 1rem; }
  .brand { padding-bottom: 0; }
  h1 { font-size: 1.65rem; }
  .options, .options tbody, .options tr, .options th:first-child, .options td, .options td:last-child { display: block; width: auto; }
  .options thead { display: none; }
  .options tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .options th, .options td { padding: .1rem 0; border: 0; }
  .options td:not(:has(.tag)):last-child::before { content: "Default: "; color: var(--quiet); }
}
@media print { .bar, .skip { display: none; } }
`;

/** Adapts Swagger UI to the style of the pages. */
export const REFERENCE_STYLE = `.swagger-ui .wrapper { max-width: none; padding: 0; }
.swagger-ui .information-container, .swagger-ui .errors-wrapper { display: none; }
.swagger-ui .scheme-container { margin: 0 0 1.5rem; padding: 0 0 1rem; box-shadow: none; background: none; }
.swagger-ui .wrapper section.block, .swagger-ui .opblock-tag-section { margin: 0; padding: 0; }
.swagger-ui p, .swagger-ui ul, .swagger-ui dl { max-width: none; }
.swagger-ui, .swagger-ui .opblock-tag, .swagger-ui .opblock-tag small, .swagger-ui .opblock .opblock-summary-description,
.swagger-ui .btn, .swagger-ui label, .swagger-ui select, .swagger-ui section h3, .swagger-ui h4, .swagger-ui h5,
.swagger-ui table thead tr td, .swagger-ui table thead tr th, .swagger-ui .parameter__name, .swagger-ui .tab li,
.swagger-ui .response-col_status, .swagger-ui .response-col_links, .swagger-ui .markdown p, .swagger-ui .renderedMarkdown p
  { font-family: inherit; }
.swagger-ui .opblock-tag { padding: .75rem 0; font-size: 1.35rem; }
.swagger-ui .opblock-tag small { padding: 0 0 0 1rem; }
.swagger-ui code { padding: 0; background: none; }
html.dark-mode, html.dark-mode .swagger-ui { background: var(--page); }
html.dark-mode .swagger-ui .scheme-container { box-shadow: none; background: none; }
`;

/** Starts Swagger UI with the document of this service. It loads nothing from other hosts. */
export const REFERENCE_SCRIPT = `const reference = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: reference.dataset.document,
  domNode: reference,
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 1,
  docExpansion: 'list',
  displayRequestDuration: true,
  persistAuthorization: false,
});
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 23l7-9 5 6 3-4 5 7z" fill="#fff"/><circle cx="21.5" cy="10.5" r="2.5" fill="#fff"/></svg>
`;
