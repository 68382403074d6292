/** The changes of one date. Backticks mark names. */
export interface Change {
  /** ISO 8601 date. */
  date: string;
  changes: readonly string[];
}

/** Changes of version 1 that clients can notice, newest first. Other changes are in CHANGELOG.md. */
export const CHANGES: readonly Change[] = [
  {
    date: '2026-11-23',
    changes: [
      'What is fetched by `image_url` for rejected requests and dry runs is limited per account, with a smaller share for dry runs, and per host; the limits page has the figures. Jobs that are charged do not count.',
      'An account may send 60 test events and ask for 300 redeliveries in an hour; then they get `rate_limited`.',
      'A request that waits for a job ends without its result when the key is revoked or the account disabled: `GET /v1/jobs/{id}` with 401 `key_revoked`, a stream with a comment, and `POST /v1/jobs` as if it had not waited.',
      'Failures of the service itself no longer count towards the limit of failed jobs in an hour.',
      'The event of a job whose webhook endpoint was disabled is in `GET /v1/webhook-deliveries` as `cancelled`, and can be redelivered.',
      '`balance_after` of a dry run is null for a key that is limited to scopes without `account`.',
      'Webhook URLs are returned as they are called (host in lower case, percent-encoded). White space inside, control characters, ports of other protocols and URLs over 2,000 characters once encoded get `webhook_url_rejected`. An `image_url` with such a port gets `image_fetch_failed`.',
      'Pages of the documentation ignore the `X-Request-Id` of a request and have one of their own.',
    ],
  },
  {
    date: '2026-11-22',
    changes: [
      'Failed jobs for which a model may have charged count towards the limit of 100 (1,000 with a paid pack) in an hour as well, also when their input is not at fault.',
      'Additions: `GET /v1/webhook-deliveries` lists events with the attempts to deliver them, and `GET /v1/webhook-endpoint` returns the endpoint of the account and whether events arrive there.',
      'Additions: `POST /v1/webhook-deliveries/{id}/redeliver` sends an event again; `PUT /v1/webhook-endpoint` sets the endpoint of the account, `POST /v1/webhook-endpoint/test` sends a test event to it, and `POST /v1/webhook-endpoint/rotate-secret` replaces the secret. They share a rate limit of their own.',
      'Addition: the operator can limit a key to scopes; a route that it may not use returns 403 `insufficient_scope`. A key without scopes can be used for everything, as before.',
      'Addition: `POST /v1/jobs/{id}/cancel` fails and refunds a job that no generator was asked to render yet; later it gets 409 `job_in_progress`. It shares the rate limit of deletions.',
      'Additions: `GET /v1/jobs/{id}` and `POST /v1/jobs` with the header `Prefer: wait=N` are answered as soon as the job has ended, or after N seconds (60 at most), with `Preference-Applied`; a job that is still processing then has a `Retry-After`. `GET /v1/jobs/{id}/events` tells the end of a job by server-sent events.',
      'Additions: `GET /v1/jobs` lists the jobs of the account and `GET /v1/ledger` the changes of its balance, newest first, in pages. Both share a rate limit of their own.',
      'Additions: a job has `refunded`, `failure` (why it failed, to branch on, and whether the same request may succeed later) and `idempotency_key`, in responses and webhooks.',
      'Addition: `POST /v1/jobs` accepts `multipart/form-data` with the JSON in the part `job` and the file in the part `image`, so that an upload needs no base64. The limits are the same, and a repeated Idempotency-Key may send the same image either way.',
      'An operator can switch a tool off: `GET /v1/tools` omits it, and a new job of it gets 400 `invalid_tool`. A replay of an Idempotency-Key is still answered.',
      'Additions: requests outside `/v1` have a limit for each client address; a 429 for a limit of an address closes the connection; the pipelined requests of a connection are handled one after the other. The limits page has the figures. The pages of the documentation are compressed and have an `ETag`.',
      'Addition: `POST /v1/jobs?dry_run=true` checks a request as `POST /v1/jobs` does and returns what it would be charged, without storing, charging or rendering anything.',
      'Additions: `GET /v1/tools?expand=options` returns the title, description and options of each tool, as JSON Schema; `GET /v1/tools/{slug}` returns one tool in that form.',
      'The OpenAPI document describes the request of each tool as complete objects, `CreateDeclutterJob` and so on, with the image in either form, and names the values that several schemas share. Clients generated from it check tool, options and image.',
      'Additions: the docs have the pages quickstart, idempotency and polling. A browser that opens the root of the host is redirected to the docs. The reference shows all fields and how to call each operation with curl and TypeScript, and the tools page has photos before and after.',
      'The message of `invalid_tool` names the slug that was probably meant, if one is similar.',
    ],
  },
  {
    date: '2026-11-21',
    changes: [
      'These images are rejected with 400 `invalid_image`: more than 16,384 pixels on a side, animations of more than 100 frames, interlaced PNG and progressive JPEG that take more than 640 million bytes to decode, and lossless, hierarchical, arithmetic-coded or 12-bit JPEG.',
      'Additions: the requests in flight of one key or account are limited; further ones wait and get `rate_limited` after 30 seconds. An account with 100 jobs (1,000 with a paid pack) that failed because of their input within an hour gets `rate_limited` until the hour is over. Bodies that arrive too slowly get `invalid_request`. All clients of one IPv6 /48 share a rate limit. The limits page has the figures.',
    ],
  },
  {
    date: '2026-11-20',
    changes: [
      '`POST /v1/jobs` returns `warnings` that name each option that was ignored.',
      'A repeated Idempotency-Key returns 201 with the current job and the warnings of the first request.',
      '`DELETE /v1/jobs/{id}` deletes a finished job with its images. A job that is still processing gets 409 `job_in_progress`.',
      '`GET /v1/account` returns `retention_days` of the calling key.',
      'Results have public URLs that need no signature and work until the image is deleted.',
      'Additions: every response has the header `X-Request-Id`, and counted ones have `RateLimit` and `RateLimit-Policy`; unknown routes return `not_found`, and other methods `method_not_allowed`.',
    ],
  },
];
