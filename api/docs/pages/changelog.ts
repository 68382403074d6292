import { CHANGES, type Change } from '../changelog.ts';
import { type Html, html, prose } from './html.ts';
import type { DocsPage } from './layout.ts';

export const changelogPage: DocsPage = {
  path: 'changelog',
  title: 'Changelog',
  lead: 'Changes of version 1, newest first.',
  content: html`
<h2 id="policy">What may change, and how it is announced</h2>
<dl>
<dt>Breaking changes</dt><dd>Announced in advance by e-mail to every account with an active key.</dd>
<dt>Additions</dt><dd>May happen at any time: a new tool, a new optional field, a new field in a response. Ignore fields you do not know.</dd>
<dt>Prices</dt><dd>Announced 30 days before they change.</dd>
<dt>Messages</dt><dd>The messages of errors and warnings may change without notice. Their codes do not change.</dd>
</dl>
${CHANGES.map(entry)}`,
};

function entry({ date, changes }: Change): Html {
  return html`
<h2 id="${date}"><time datetime="${date}">${date}</time></h2>
<ul>${changes.map((change) => html`<li>${prose(change)}</li>`)}</ul>`;
}
