import {
  FAILED_JOBS,
  IN_FLIGHT,
  LIMITS,
  PACE,
  RATE_LIMITS,
  UNPAID,
  WAITING,
  WAITING_REQUESTS,
  WEBHOOK_LIMITS,
} from '../../../lib/contract/limits.ts';
import { KEPT_TESTS } from '../../../lib/domain/delivery.ts';
import { MAX_REPLACED_SECRETS, OLD_SECRET_HOURS } from '../../../lib/domain/webhook-secrets.ts';
import type { Config } from '../../../lib/process/config/config.ts';
import { accountBytesOf } from '../../admission/limits.ts';
import { unpaidLimits } from '../../admission/unpaid-fetches.ts';
import { type Html, html, prose } from './html.ts';
import type { DocsPage } from './layout.ts';

const MB = 1024 * 1024;
const COMPLETED = LIMITS.completedJobsPerAccount.toLocaleString('en-US');

type Row = readonly [string, string];

const RATES: readonly Row[] = [
  ['`POST /v1/jobs`, dry runs included', String(RATE_LIMITS['create-job'])],
  ['`GET /v1/jobs/{id}` and `GET /v1/jobs/{id}/events` together', String(RATE_LIMITS['read-job'])],
  ['`DELETE /v1/jobs/{id}` and `POST /v1/jobs/{id}/cancel` together', String(RATE_LIMITS['delete-job'])],
  [
    '`GET /v1/tools`, `GET /v1/tools/{slug}` and `GET /v1/account` together',
    String(RATE_LIMITS['read-account']),
  ],
  ['`GET /v1/jobs`, `GET /v1/ledger` and `GET /v1/webhook-deliveries` together', String(RATE_LIMITS.list)],
  [
    'All other requests below `/v1/webhook-endpoint` and `/v1/webhook-deliveries`',
    String(RATE_LIMITS.webhooks),
  ],
  ['All requests below `/v1` from one IPv4 address or one IPv6 /64, over all keys', String(RATE_LIMITS.ip)],
  ['All requests below `/v1` from one IPv6 /48, over all keys', String(RATE_LIMITS.site)],
  [
    'Addition: all requests outside `/v1`, such as these pages, from one IPv4 address or one IPv6 /64',
    String(RATE_LIMITS['ip-other']),
  ],
  ['Addition: all requests outside `/v1` from one IPv6 /48', String(RATE_LIMITS['site-other'])],
];

const SIZES: readonly Row[] = [
  ['Image (base64: after decoding; the file of a form)', `${LIMITS.imageBytes / MB} MB`],
  ['Pixels of an image', `${LIMITS.imagePixels / 1e6} megapixels`],
  ['Side of an image', `${LIMITS.imageSide.toLocaleString('en-US')} pixels`],
  ['Frames of an animation (only the first one is used)', String(LIMITS.imageFrames)],
  [
    'Interlaced PNG or progressive JPEG, decoded',
    `${LIMITS.imageHeldBytes / 1e6} million bytes (pixels × channels × bytes per channel)`,
  ],
  ['Body of a request with the `X-Api-Key` header', `${LIMITS.bodyBytes / MB} MB`],
  ['Body of a request without the header', `${LIMITS.bodyBytesWithoutKey / MB} MB`],
  ['Headers of the parts of a form, and what surrounds the parts', `${LIMITS.formFramingBytes / 1024} KB`],
  ['Body of `PUT /v1/webhook-endpoint`, with the header or without', `${LIMITS.endpointBodyBytes / 1024} KB`],
  ['`image_url`, `webhook_url`, `url` of the webhook endpoint', `${LIMITS.urlLength} characters each`],
  ['`tool`', `${LIMITS.toolLength} characters`],
  ['`Idempotency-Key`', `${LIMITS.idempotencyKeyLength} characters`],
  ['`limit` of a list', `1 to ${LIMITS.listPage}, ${LIMITS.listPageDefault} when left out`],
  ['`customPrompt`, `description`', `${LIMITS.freeTextLength} characters each`],
  ['Fetching an `image_url`', `${LIMITS.fetchTimeoutMs / 1000} seconds, ${LIMITS.fetchRedirects} redirects`],
];

const inFlight = (bytesInFlight: number): readonly Row[] => [
  ['Bytes of bodies and of images being fetched', inMB(IN_FLIGHT.keyBytes)],
  ['The same for all keys of an account', inMB(accountBytesOf(bytesInFlight))],
  ['Jobs being accepted, per account', String(IN_FLIGHT.accountAcceptances)],
  ['Images being fetched by `image_url`', String(IN_FLIGHT.keyFetches)],
];

function unpaid(bytesPerMinute: number): readonly Row[] {
  const limits = unpaidLimits(bytesPerMinute);
  return [
    ['One account, over all its keys', inMB(limits.account)],
    ['Of that, its dry runs', inMB(limits.dryRuns)],
    ['All accounts, from one host', inMB(limits.host)],
  ];
}

const inMB = (bytes: number) => `${(bytes / MB).toLocaleString('en-US', { maximumSignificantDigits: 4 })} MB`;

const RETENTION: readonly Row[] = [
  ['A job with its images', 'Until you delete it, or one of the next two rules applies.'],
  [
    'Jobs of a key that has `retention_days`',
    `That many days after \`created_at\`, 1 to ${LIMITS.retentionDaysMax}. A daily run at 04:20 UTC deletes them; a large backlog may take more than one run. Ask the operator to set it.`,
  ],
  [
    `Completed jobs of an account beyond ${COMPLETED}`,
    'The oldest are deleted, over all keys and tools, when a job of any tool except `virtual-staging` completes.',
  ],
  [
    'The input image of a failed job',
    `${LIMITS.failedInputDays} days after the job was created. The job itself remains readable.`,
  ],
  ['The image of a request that was rejected', 'Deleted at once.'],
  ['Webhook deliveries', `90 days. Of test events, the latest ${KEPT_TESTS}.`],
  [
    'The billing record of a deleted job',
    'Its id, tool, status, price and times are kept. Its options are deleted.',
  ],
];

/** What is configured of the limits. */
export type ConfiguredLimits = Pick<Config['api'], 'bytesInFlight' | 'unpaidBytesPerMinute'>;

/** Rate limits, sizes, billing and retention, with the figures that this process enforces. */
export const limitsPage = ({ bytesInFlight, unpaidBytesPerMinute }: ConfiguredLimits): DocsPage => ({
  path: 'limits',
  title: 'Limits',
  lead: 'Rate limits, sizes, billing and retention.',
  content: html`
<h2 id="rates">Requests</h2>
<p>Counted per key, in any ${RATE_LIMITS.windowMs / 1000} seconds. The window slides: it never resets as a whole.</p>
${table('Requests', 'Per minute', RATES)}
<p>Every counted response has <code>X-RateLimit-Limit</code> and <code>X-RateLimit-Remaining</code>; a 429 also has <code>Retry-After</code> in seconds. A request that gets 429 does not count towards the limit.</p>
<p>The webhook secret can be rotated ${MAX_REPLACED_SECRETS} times within ${OLD_SECRET_HOURS} hours, over all keys of the account. Test events and redeliveries are limited for each account as well: ${WEBHOOK_LIMITS['test-events']} test events and ${WEBHOOK_LIMITS.redeliveries} redeliveries in any hour.</p>
<p>Requests outside <code>/v1</code> are counted apart, and their responses have only <code>Retry-After</code>, with a 429. A 429 for a limit of an address or a network closes the connection.</p>
<p>Pipelined requests of one connection are handled one after the other. A connection with more than ${WAITING_REQUESTS} requests behind the one in progress is closed once those are answered.</p>

<h2 id="in-flight">Requests in flight</h2>
<p>Counted per key unless stated otherwise. A request over a limit waits, with its body unread, for up to ${IN_FLIGHT.queueMs / 1000} seconds in total, and then gets <code>rate_limited</code>; nothing is charged. You can send as many requests at once as the table above allows. A body of unknown length counts as ${LIMITS.bodyBytes / MB} MB until it has ended, so send a <code>Content-Length</code>.</p>
${table('What', 'Limit', inFlight(bytesInFlight))}
<p>Failed jobs are refunded. Up to ${FAILED_JOBS.account} jobs of an account (${FAILED_JOBS.paidAccount} with a paid pack) may fail in an hour because of their input (images that cannot be decoded or rendered, and requests that a model refuses), or because a model that may charge for them has failed. Jobs that you cancel count as well. After that, new jobs get <code>rate_limited</code> until the hour is over. A job does not count when models were unavailable and charged nothing, or when the service itself failed.</p>
<p>A body must arrive at ${PACE.bytesPerSecond / 1024} KB per second or faster, and within ${PACE.bodyMs / 1000} seconds (without a Content-Length it counts as ${LIMITS.bodyBytes / MB} MB). It may fall ${PACE.slackMs / 1000} seconds behind that pace. A body of more than ${PACE.freePieces} chunks must have at least ${PACE.pieceBytes} bytes per chunk on average. The last rule also applies to the response of an <code>image_url</code>.</p>

<h2 id="unpaid">Fetches that are not charged</h2>
<p>What the service fetches by <code>image_url</code> for requests that are rejected, and for dry runs, is limited for each minute. Each HTTP request of such a fetch, each redirect included, counts as ${UNPAID.requestBytes / 1024} KB and the bytes of its image. A job that is charged does not count, so these limits are no limit for jobs, even if all of their images lie on one host. Over a limit, a request with <code>image_url</code> gets <code>rate_limited</code> at once; the message says which limit it is. The limit of a host concerns dry runs, and accounts that have fetched something unpaid in the last minute.</p>
${table('What', 'Per minute', unpaid(unpaidBytesPerMinute))}

<h2 id="waiting">Requests that wait</h2>
<p>A request with <code>Prefer: wait=N</code> waits for up to ${WAITING.preferSeconds} seconds for its job to end; a larger N counts as ${WAITING.preferSeconds}. An event stream lasts for up to ${WAITING.streamMs / 60_000} minutes. Of one account ${WAITING.accountRequests} requests may wait at a time in one process of the service, of all accounts ${WAITING.requests}; when most of these places are taken, an account gets fewer. One more is answered at once: without <code>Preference-Applied</code>, or with a stream that ends after the current status.</p>

<h2 id="sizes">Sizes</h2>
<p>A MB is 1,048,576 bytes. Images are JPEG, PNG or WebP.</p>
${table('What', 'Limit', SIZES)}

<h2 id="billing">Billing</h2>
<ul>
<li>A render costs one image, or two with <code>resolution</code> <code>4K</code>; <code>4k-upscale</code> always costs two. <a href="tools">The tools page</a> lists all prices.</li>
<li>The account is charged when the job is accepted. A failed job is refunded automatically; a deleted job is not refunded.</li>
<li>With its first key an account gets ${LIMITS.freeImages} images, once. Packs add up and do not expire.</li>
<li>Results have a watermark until the account has a paid pack. After that all new results are without a watermark, those from free images included. A pack that was refunded in full does not count.</li>
</ul>

<h2 id="retention">Retention</h2>
${table('What', 'Kept for', RETENTION)}
<p>Result URLs need no key and work until the image is deleted. A content delivery network in front of them may serve cached copies for longer.</p>`,
});

function table(name: string, value: string, rows: readonly Row[]): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">${name}</th><th scope="col">${value}</th></tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${prose(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
