import { ERRORS, type ErrorCode } from '../../../lib/contract/errors.ts';
import { ERROR_GUIDE } from '../error-guide.ts';
import { type Html, html, prose } from './html.ts';
import type { DocsPage } from './layout.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Every code of the error table, at the anchor that `doc_url` links to. */
export const errorsPage: DocsPage = {
  path: 'errors',
  title: 'Errors',
  lead: 'Every non-2xx response has the same body. Branch on its code; the message is human-readable and may change.',
  content: html`
<pre tabindex="0"><code>{
  "error": {
    "code": "insufficient_credits",
    "message": "${ERROR_GUIDE.insufficient_credits.example}",
    "doc_url": "…/docs/errors#insufficient_credits"
  }
}</code></pre>
<p>Ignored options are not errors: the job runs, and the response lists them in <code>warnings</code>.</p>
<h2 id="overview">Overview</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">If you retry the same request</th></tr></thead>
<tbody>${CODES.map(row)}</tbody>
</table></div>
<h2 id="codes">Codes</h2>
${CODES.map(section)}`,
};

function row(code: ErrorCode): Html {
  const { status, retryable } = ERRORS[code];
  return html`<tr><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${retryable ? 'may succeed later' : 'fails again'}</td></tr>`;
}

function section(code: ErrorCode): Html {
  const { status, retryable, description } = ERRORS[code];
  const { action, example } = ERROR_GUIDE[code];
  return html`
<section class="entry" id="${code}" aria-labelledby="${code}-title">
<h3 id="${code}-title"><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="tag">${status}</span>${retryable ? html` <span class="tag good">retry</span>` : null}${'addition' in ERRORS[code] ? html` <span class="tag">addition to version 1</span>` : null}</h3>
<p>${prose(description)}</p>
<p><strong>What to do.</strong> ${prose(action)}</p>
<p class="quiet">Example message: “${example}”</p>
</section>`;
}
