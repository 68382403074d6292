/** One date on which version 1 changed. Backticks mark names. */
export interface Change {
  /** ISO 8601 date. */
  date: string;
  changes: readonly string[];
}

/** What changed for clients of version 1, newest first. Internal changes are in CHANGELOG.md of the project. */
export const CHANGES: readonly Change[] = [
  {
    date: '2026-11-21',
    changes: [
      'A picture with a side of more than 16,384 pixels, an animation of more than 100 frames, an interlaced PNG or progressive JPEG that takes more than 640 million bytes to decode, and a lossless, hierarchical, arithmetic-coded or 12-bit JPEG are answered 400 `invalid_image`.',
      'Additions: what one key or account has under way at once is bounded, by waiting first and `rate_limited` after 30 seconds; an account whose jobs fail because of what was sent 100 times within an hour (1,000 times with a pack) is answered `rate_limited` until it is over; bodies that trickle are ended with `invalid_request`; all clients of one IPv6 /48 have a limit together. The limits page has the figures.',
    ],
  },
  {
    date: '2026-11-20',
    changes: [
      '`POST /v1/jobs` answers with `warnings` that name each option that was ignored.',
      'A repeated Idempotency-Key is answered 201 with the job as it stands now, and the warnings of the first request.',
      '`DELETE /v1/jobs/{id}` removes a finished job with its pictures; a job that is still processing is answered 409 `job_in_progress`.',
      '`GET /v1/account` shows `retention_days` of the calling key.',
      'Results are served from public URLs that need no signature and hold until the picture is deleted.',
      'Additions: every answer has an `X-Request-Id` and the `RateLimit` and `RateLimit-Policy` fields; unknown routes answer `not_found` and other methods `method_not_allowed`.',
    ],
  },
];
