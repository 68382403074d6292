import { Marked, type Tokens } from 'marked';
import { type Html, html, rendered } from './pages/html.ts';

/** A document in Markdown: its heading, its first paragraph as text, and the rest. */
export interface Article {
  title: string;
  lead: string;
  content: Html;
}

/** @returns what a link leads to in the pages, or undefined to leave it as it is */
export type ResolveLink = (target: string) => string | undefined;

/**
 * Renders Markdown of this project, which begins with a heading and a paragraph. HTML in it is shown as text, and code
 * that names a page, such as `$BASE/docs/tools`, becomes a link to it.
 */
export function renderMarkdown(text: string, resolve: ResolveLink): Article {
  const marked = createRenderer(resolve);
  const tokens = marked.lexer(text);
  const [heading, lead, ...rest] = tokens.filter(({ type }) => type !== 'space');
  if (heading?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error('The text must begin with a heading and a paragraph.');
  return {
    title: heading.text,
    lead: (lead.tokens ?? []).map((token) => (token.type === 'link' ? token.text : token.raw)).join(''),
    content: rendered(marked.parser(rest)),
  };
}

const plain = createRenderer(() => undefined);

/** Renders a description of the OpenAPI document, which is Markdown in one line. */
export const renderInline = (text: string): Html => rendered(plain.parseInline(text, { async: false }));

/** Renders a description of several paragraphs. */
export const renderMarkup = (text: string): Html => rendered(plain.parse(text, { async: false }));

function createRenderer(resolve: ResolveLink): Marked {
  const marked = new Marked({ gfm: true });
  const defaults = new marked.Renderer();
  marked.use({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => html`${text}`.markup,
      link(token: Tokens.Link) {
        return defaults.link.call(this, { ...token, href: resolve(token.href) ?? token.href });
      },
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token: Tokens.Table) {
        return `<div class="scroll" tabindex="0">${defaults.table.call(this, token)}</div>\n`;
      },
      code(token: Tokens.Code) {
        return defaults.code.call(this, token).replace('<pre>', '<pre tabindex="0">');
      },
      codespan(token: Tokens.Codespan) {
        const page = /^(?:\$BASE)?(\/docs(?:\/[a-z-]+)?)$/.exec(token.text)?.[1];
        const target = page === undefined ? undefined : resolve(page);
        const code = defaults.codespan.call(this, token);
        return target === undefined ? code : `<a href="${target}">${code}</a>`;
      },
    },
  });
  return marked;
}

/** The anchor that GitHub gives a heading, so that links work in both places. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
