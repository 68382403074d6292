import { LIMITS, WEBHOOK_LIMITS } from '../../../lib/contract/limits.ts';
import { MAX_REPLACED_SECRETS, OLD_SECRET_HOURS } from '../../../lib/domain/webhook-secrets.ts';
import { WEBHOOK_EXAMPLES } from '../openapi/examples.ts';
import { VERIFY_SAMPLE } from '../verify-sample.ts';
import { html } from './html.ts';
import type { DocsPage } from './layout.ts';

/** The delay before each attempt. The API may not import the worker's policy, so a test compares the two. */
const DELAYS = ['none', '5 seconds', '5 minutes', '30 minutes', '2 hours', '5 hours', '10 hours', '10 hours'];

export const webhooksPage: DocsPage = {
  path: 'webhooks',
  title: 'Webhooks',
  lead: 'The service can notify you when a job ends, so that you do not need to poll.',
  content: html`
<p>The event is sent to the <code>webhook_url</code> of the job, or else to the endpoint of your account. Without either, poll. Both must be public https URLs; the address is checked when it is set and again on each attempt. White space, control characters and the ports of other protocols, such as 22 and 25, are refused. The URL is stored and shown as it is called: <code>HTTPS://Hooks.Example.com:443/é</code> becomes <code>https://hooks.example.com/%C3%A9</code>, and may then have ${LIMITS.urlLength} characters.</p>

<h2 id="event">The event</h2>
<p><code>type</code> is <code>job.completed</code> or <code>job.failed</code>; <code>data</code> is the job as <code>GET /v1/jobs/{id}</code> returns it. <code>test.ping</code> <a href="#endpoint">tests an endpoint</a>. Ignore types you do not know.</p>
<pre tabindex="0"><code>${JSON.stringify(WEBHOOK_EXAMPLES.completed?.value ?? null, null, 2)}</code></pre>

<h2 id="signature">Verify the signature</h2>
<p>Deliveries follow the <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a> specification, so its libraries can verify them. Each request has three headers:</p>
<dl>
<dt><code>webhook-id</code></dt><dd>The id of the event, the same on every attempt. Store it and skip events you have already processed.</dd>
<dt><code>webhook-timestamp</code></dt><dd>Unix time of this attempt, in seconds. Reject a request that is more than five minutes off.</dd>
<dt><code>webhook-signature</code></dt><dd><code>v1,</code> and the base64 of an HMAC-SHA256 over <code>id.timestamp.body</code>. The key is the part of your secret after <code>whsec_</code>, decoded from base64.</dd>
</dl>
<p>For 24 hours after a secret was rotated there are two signatures separated by a space, one for each secret, and more if it was rotated again meanwhile. Accept the request if any matches.</p>
<p>The signature covers the raw body, so verify it before parsing. In Node, without a library:</p>
<pre tabindex="0"><code>${VERIFY_SAMPLE}</code></pre>

<h2 id="response">Response</h2>
<ul>
<li>Any 2xx within 15 seconds means delivered. Store the event, respond, and process it afterwards.</li>
<li>410 ends the delivery and disables the endpoint of the account.</li>
<li>Everything else is retried: other statuses, redirects (they are not followed), timeouts and broken connections. A <code>Retry-After</code> header can extend the next delay to at most twice its length.</li>
<li>The endpoint of an account is disabled when every attempt has failed for five days and at least three deliveries, one after another, have used up their attempts. <code>GET /v1/webhook-endpoint</code> says so. Events that happen meanwhile are <code>cancelled</code>. Set it again to enable it, and send again what failed or was cancelled.</li>
</ul>

<h2 id="schedule">Retry schedule</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Attempt</th><th scope="col">Delay before it</th></tr></thead>
<tbody>${DELAYS.map((delay, index) => html`<tr><td>${index + 1}</td><td>${delay}</td></tr>`)}</tbody>
</table></div>
<p>Each delay has jitter, so that a receiver that recovers does not get all events at once. After the last attempt you can still read the job. Deleting a job cancels its delivery.</p>
<p>Events can arrive more than once and in any order. <code>GET /v1/jobs/{id}</code> always returns the current state.</p>

<h2 id="endpoint">The endpoint of your account</h2>
<p>These routes need a key with the scope <code>webhooks</code>, or one without scopes.</p>
<pre tabindex="0"><code># Set the URL that is notified of all jobs without a webhook_url. null removes it.
curl -X PUT -H "X-Api-Key: $API_KEY" -H "Content-Type: application/json" \\
  -d '{"url": "https://hooks.example.com/image-jobs"}' "$BASE/v1/webhook-endpoint"
# Get a new secret. It is returned once.
curl -X POST -H "X-Api-Key: $API_KEY" "$BASE/v1/webhook-endpoint/rotate-secret"
# Send test.ping to the endpoint, in a single attempt; ${WEBHOOK_LIMITS['test-events']} times in any hour.
curl -X POST -H "X-Api-Key: $API_KEY" "$BASE/v1/webhook-endpoint/test"
# Is it enabled, and since when does it fail?
curl -H "X-Api-Key: $API_KEY" "$BASE/v1/webhook-endpoint"</code></pre>
<p>Setting the URL enables a disabled endpoint, also when it is the same URL. The secret stays.</p>
<p>A rotated secret stays valid for ${OLD_SECRET_HOURS} hours: every delivery is signed with it as well, so that you can change your receivers over one by one. If you lose the response with a new secret, rotate it again: that cuts no earlier secret short. After ${MAX_REPLACED_SECRETS} rotations within ${OLD_SECRET_HOURS} hours, the next one gets <code>rate_limited</code>.</p>

<h2 id="log">See what was sent</h2>
<p><code>GET /v1/webhook-deliveries</code> lists the events of the last 90 days, the newest first, with the latest ${LIMITS.deliveryAttempts} attempts of each: when it was sent, how long you took, and the status and the first KB of your response. <code>job_id</code> and <code>status</code> filter the list.</p>
<pre tabindex="0"><code>curl -H "X-Api-Key: $API_KEY" "$BASE/v1/webhook-deliveries?status=failed&amp;limit=20"</code></pre>
<p>When the job is deleted, its URL and your responses are deleted from the log.</p>

<h2 id="redeliver">Send an event again</h2>
<p>After an outage of your receiver, send again what failed:</p>
<pre tabindex="0"><code>curl -X POST -H "X-Api-Key: $API_KEY" "$BASE/v1/webhook-deliveries/$DELIVERY_ID/redeliver"</code></pre>
<p>The response is 202 with the delivery, which is <code>pending</code>. The event has the same <code>webhook-id</code> and body as before, and all attempts of the schedule, also if the endpoint is disabled. A delivered event can be sent again too. A delivery that is pending gets 409 <code>delivery_pending</code>, and that of a deleted job 404 <code>job_not_found</code>. An account may redeliver ${WEBHOOK_LIMITS.redeliveries} events in any hour; after a longer outage, ask the operator to send the rest again.</p>`,
};
