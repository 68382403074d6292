import { BUDGETS, LIMITS, PACE, RATE_LIMITS } from '../../../contract/limits.ts';
import { type Html, html, prose } from './html.ts';
import type { Page } from './layout.ts';

const MB = 1024 * 1024;
const COMPLETED = LIMITS.completedJobsPerAccount.toLocaleString('en-US');

type Row = readonly [string, string];

const RATES: readonly Row[] = [
  ['`POST /v1/jobs`', String(RATE_LIMITS['create-job'])],
  ['`GET /v1/jobs/{id}`', String(RATE_LIMITS['read-job'])],
  ['`DELETE /v1/jobs/{id}`', String(RATE_LIMITS['delete-job'])],
  ['`GET /v1/tools` and `GET /v1/account` together', String(RATE_LIMITS['read-account'])],
  ['Everything below `/v1` from one address, or one IPv6 /64, whatever the key', String(RATE_LIMITS.ip)],
  ['The same from one IPv6 /48', String(RATE_LIMITS.site)],
];

const SIZES: readonly Row[] = [
  ['Picture, decoded where it comes as base64', `${LIMITS.imageBytes / MB} MB`],
  ['Pixels of a picture', `${LIMITS.imagePixels / 1e6} megapixels`],
  ['Side of a picture', `${LIMITS.imageSide.toLocaleString('en-US')} pixels`],
  ['Frames of an animation, the first of which is used', String(LIMITS.imageFrames)],
  [
    'Interlaced PNG or progressive JPEG, decoded',
    `${LIMITS.imageHeldBytes / 1e6} million bytes: its pixels times channels times bytes of each`,
  ],
  ['Body of a request with the `X-Api-Key` header', `${LIMITS.bodyBytes / MB} MB`],
  ['Body of a request without it', `${LIMITS.bodyBytesWithoutKey / MB} MB`],
  ['`image_url`, `webhook_url`', `${LIMITS.urlLength} characters each`],
  ['`tool`', `${LIMITS.toolLength} characters`],
  ['`Idempotency-Key`', `${LIMITS.idempotencyKeyLength} characters`],
  ['`customPrompt`, `description`', `${LIMITS.freeTextLength} characters each`],
  ['Fetching an `image_url`', `${LIMITS.fetchTimeoutMs / 1000} seconds, ${LIMITS.fetchRedirects} redirects`],
];

const UNDER_WAY: readonly Row[] = [
  ['Bytes of bodies and of pictures being fetched', `${BUDGETS.keyBytes / MB} MB`],
  ['The same of all keys of an account', 'A quarter of what a server takes, and 128 MB at least'],
  ['Jobs of an account that wait to be accepted', '50'],
  ['Pictures being fetched by `image_url`', String(BUDGETS.keyFetches)],
  ['Bytes fetched in a minute for requests that were refused', `${BUDGETS.keyUnpaidBytes / MB} MB`],
];

const KEPT: readonly Row[] = [
  ['A job with its pictures', 'Until you delete it, or one of the next two rules does.'],
  [
    'Jobs of a key that has `retention_days`',
    `That many days from \`created_at\` on, 1 to ${LIMITS.retentionDaysMax}. Applied every day at 04:20 UTC; after a large backlog some go a day later. The operator sets it for you.`,
  ],
  [
    `Completed jobs of an account beyond ${COMPLETED}`,
    'The oldest go, whichever key or tool made them, as soon as a job of any tool but `virtual-staging` completes.',
  ],
  [
    'The picture sent with a job that failed',
    `${LIMITS.failedInputDays} days from its creation. The job itself stays readable.`,
  ],
  ['The picture of a request that was refused', 'It goes at once.'],
  ['What billing needs of a deleted job', 'Its id, tool, status, price and times stay. Its options go.'],
];

/** What a client may send, how often, what it pays for and how long things stay; figures from the contract. */
export const limitsPage: Page = {
  path: 'limits',
  title: 'Limits',
  lead: 'How often and how much, what is charged, and how long things are kept.',
  content: html`
<h2 id="rates">Requests</h2>
<p>Counted for each key, in any ${RATE_LIMITS.windowMs / 1000} seconds. The window slides, so there is no moment at which all of it comes back.</p>
${table('Requests', 'In a minute', RATES)}
<p>Every counted answer has <code>X-RateLimit-Limit</code> and <code>X-RateLimit-Remaining</code>; a 429 has <code>Retry-After</code> in seconds as well. A request that was refused for its rate is not counted again.</p>

<h2 id="under-way">Under way at once</h2>
<p>Counted for each key unless it says otherwise. A request on top waits for its turn with its body unread, up to ${BUDGETS.queueMs / 1000} seconds in all, and is answered <code>rate_limited</code> only after that; nothing is charged then. Sending as many requests at once as the table above allows is fine. A body of unknown length counts as ${LIMITS.bodyBytes / MB} MB until it has ended, so send a <code>Content-Length</code>. What was fetched for nothing is refused at once, until enough of it is a minute old.</p>
${table('What', 'At most', UNDER_WAY)}
<p>A job that fails is refunded, and up to ${BUDGETS.accountFailures} jobs of an account, ${BUDGETS.paidAccountFailures} once it holds a pack, may fail in an hour because of what was sent: pictures that cannot be decoded or rendered, and what a generator refuses. After that new jobs are answered <code>rate_limited</code> until the hour is over. Failures of the service do not count.</p>
<p>A body must arrive at ${PACE.bytesPerSecond / 1024} KB a second or more, fast enough to be there within a minute (one without a Content-Length counts as 30 MB), and may fall ${PACE.slackMs / 1000} seconds behind that. One in more than ${PACE.freePieces} pieces must hold ${PACE.pieceBytes} bytes a piece on average; so must the answer of an <code>image_url</code>.</p>

<h2 id="sizes">Sizes</h2>
<p>A MB is 1,048,576 bytes. Pictures are JPEG, PNG or WebP.</p>
${table('What', 'At most', SIZES)}

<h2 id="billing">Images and balance</h2>
<ul>
<li>A render costs one image, or two with <code>resolution</code> <code>4K</code>; <code>4k-upscale</code> always costs two. <a href="tools">The tools page</a> lists all prices.</li>
<li>The charge is taken when the job is accepted. A job that fails gives it back by itself; deleting a job does not.</li>
<li>The first key of an account brings ${LIMITS.freeImages} images, once. Bought packs add up and do not expire.</li>
<li>New results carry a watermark until the account holds a paid pack; free images left over are clean from then on. A pack that was refunded in full does not count.</li>
</ul>

<h2 id="kept">How long things are kept</h2>
${table('What', 'How long', KEPT)}
<p>Result URLs need no key and work until the picture is deleted. A content delivery network in front of them may serve its copies a while longer.</p>`,
};

function table(what: string, how: string, rows: readonly Row[]): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">${what}</th><th scope="col">${how}</th></tr></thead>
<tbody>${rows.map(([name, value]) => html`<tr><td>${prose(name)}</td><td>${prose(value)}</td></tr>`)}</tbody>
</table></div>`;
}
