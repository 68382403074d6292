import { CHANGES, type Change } from '../changelog.ts';
import { type Html, html, prose } from './html.ts';
import type { Page } from './layout.ts';

export const changelogPage: Page = {
  path: 'changelog',
  title: 'Changelog',
  lead: 'What changed in version 1 for its clients, newest first.',
  content: html`
<h2 id="policy">What may change, and how you hear of it</h2>
<dl>
<dt>Breaking changes</dt><dd>Nothing breaks unannounced: every account with an active key gets an e-mail first.</dd>
<dt>Additions</dt><dd>At any time: a new tool, a new optional field, a new field in an answer. Ignore fields you do not know.</dd>
<dt>Prices</dt><dd>Announced 30 days before they change.</dd>
<dt>Messages</dt><dd>The texts of errors and warnings are for people and change without notice. Codes do not.</dd>
</dl>
${CHANGES.map(entry)}`,
};

function entry({ date, changes }: Change): Html {
  return html`
<h2 id="${date}"><time datetime="${date}">${date}</time></h2>
<ul>${changes.map((change) => html`<li>${prose(change)}</li>`)}</ul>`;
}
