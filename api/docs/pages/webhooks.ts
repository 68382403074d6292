import { WEBHOOK_EXAMPLES } from '../openapi/examples.ts';
import { VERIFY_SAMPLE } from '../verify-sample.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';

/** The pause before each attempt; a test holds it to the worker's policy, which the API may not import. */
const ATTEMPTS = [
  'at once',
  '5 seconds',
  '5 minutes',
  '30 minutes',
  '2 hours',
  '5 hours',
  '10 hours',
  '10 hours',
];

export const webhooksPage: Page = {
  path: 'webhooks',
  title: 'Webhooks',
  lead: 'When a job ends, the service can tell you instead of being asked.',
  content: html`
<p>The event goes to the job’s <code>webhook_url</code> when it has one, else to the endpoint of your account. With neither, poll. Both must be public https URLs; the address is checked when the job is created and again before each delivery.</p>

<h2 id="event">The event</h2>
<p><code>type</code> is <code>job.completed</code> or <code>job.failed</code>; <code>data</code> is the job as <code>GET /v1/jobs/{id}</code> shows it. An operator can also send <code>test.ping</code> to try an endpoint; ignore types you do not know.</p>
<pre><code>${JSON.stringify(WEBHOOK_EXAMPLES.completed?.value ?? null, null, 2)}</code></pre>

<h2 id="signature">Verify the signature</h2>
<p>Deliveries follow the <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a> convention, so its libraries work as they are. Each request has three headers:</p>
<dl>
<dt><code>webhook-id</code></dt><dd>Names the event and stays the same on every attempt. Remember it and skip what you have already handled.</dd>
<dt><code>webhook-timestamp</code></dt><dd>Unix seconds of this attempt. Refuse what is more than five minutes off.</dd>
<dt><code>webhook-signature</code></dt><dd><code>v1,</code> and the base64 of an HMAC-SHA256 over <code>id.timestamp.body</code>. The key is what follows <code>whsec_</code> in your secret, decoded from base64.</dd>
</dl>
<p>For 24 hours after a secret was changed there are two signatures with a space between, one by each secret. Accept the request when any of them matches.</p>
<p>The signature covers the body exactly as it arrived, so verify before parsing. In Node, without any library:</p>
<pre><code>${VERIFY_SAMPLE}</code></pre>

<h2 id="answer">Answer</h2>
<ul>
<li>Any 2xx within 15 seconds means delivered. Store the event, answer, and do the work afterwards.</li>
<li>410 means you want no more: the delivery ends and the endpoint of the account is disabled.</li>
<li>Everything else is tried again: other statuses, redirects (they are not followed), timeouts and broken connections. A <code>Retry-After</code> can stretch the next pause to twice its length.</li>
<li>An endpoint of an account that has only failed for five days is disabled. The operator sees it and can switch it on again and redeliver.</li>
</ul>

<h2 id="schedule">When a delivery is repeated</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Attempt</th><th scope="col">Pause before it</th></tr></thead>
<tbody>${ATTEMPTS.map((pause, index) => html`<tr><td>${index + 1}</td><td>${pause}</td></tr>`)}</tbody>
</table></div>
<p>Each pause varies a little, so that a receiver that comes back is not met by everything at once. After the last attempt the job can still be read for as long as it is kept. Deleting a job ends its delivery.</p>
<p>An event can arrive more than once and in any order. The job itself is the truth; reading it again is always right.</p>`,
};
