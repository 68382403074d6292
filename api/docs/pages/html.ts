/** Escaped markup. Created by {@link html} and {@link rendered} only. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Part[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag that escapes every value, in text and in quoted attributes, except {@link Html}. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return {
    markup: strings.reduce((text, string, index) => text + render(values[index - 1] ?? null) + string),
  };
}

/** Takes markup that another renderer has escaped. */
export const rendered = (markup: string): Html => ({ markup });

/** Renders text in which backticks mark code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function render(part: Part): string {
  if (part === null) return '';
  if (Array.isArray(part)) return part.map(render).join('');
  if (typeof part === 'object') return (part as Html).markup;
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
