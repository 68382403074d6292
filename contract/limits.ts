/** Sizes in bytes: a MB of the contract is 1,048,576 bytes. */
const MB = 1024 * 1024;

/** Fixed limits of version 1 (spec: Limits). Lengths are in characters, sizes in bytes, times in milliseconds. */
export const LIMITS = Object.freeze({
  imageBytes: 20 * MB,
  imagePixels: 100_000_000,
  imageSide: 16_384,
  imageFrames: 100,
  /** What a picture that can't be decoded row by row may take in memory: interlaced PNG, progressive JPEG. */
  imageHeldBytes: 640_000_000,
  bodyBytes: 30 * MB,
  bodyBytesWithoutKey: 1 * MB,
  urlLength: 2000,
  toolLength: 100,
  idempotencyKeyLength: 128,
  freeTextLength: 500,
  fetchTimeoutMs: 10_000,
  fetchRedirects: 3,
  retentionDaysMax: 365,
  completedJobsPerAccount: 2000,
  freeImages: 50,
  failedInputDays: 30,
});

/** Requests in a sliding 60-second window, by route group (spec: Rate limits). */
export const RATE_LIMITS = Object.freeze({
  windowMs: 60_000,
  'create-job': 60,
  'read-job': 300,
  'delete-job': 60,
  'read-account': 120,
  ip: 600,
  /** An addition: all clients of one IPv6 /48 together. One client is an IPv4 address or an IPv6 /64. */
  site: 6000,
});

/**
 * What one API process has under way at a time, so that no caller can fill it. Over a budget a request waits its turn
 * for `queueMs` in all; none of them is reached by what the rate limits allow in ordinary use.
 */
export const BUDGETS = Object.freeze({
  /** Bytes of bodies and fetched pictures of one key. */
  keyBytes: 64 * MB,
  /** Fetches of an `image_url` of one key. */
  keyFetches: 8,
  /** Bytes fetched for one key in any minute for requests that were refused. */
  keyUnpaidBytes: 512 * MB,
  /** Jobs of one account that fail by what was sent, in an hour from the first: each was rendered for nothing. */
  accountFailures: 100,
  /** The same of an account that holds a pack. */
  paidAccountFailures: 1000,
  queueMs: 30_000,
  failuresWindowMs: 3_600_000,
});

/** What a body must do once it is being read. */
export const PACE = Object.freeze({
  bytesPerSecond: 16 * 1024,
  /** How long it may stand still, or fall behind that rate. */
  slackMs: 10_000,
  /** Pieces of any size at first; all of them must then hold `pieceBytes` on average. */
  freePieces: 2000,
  pieceBytes: 512,
});

export type RouteGroup = 'create-job' | 'read-job' | 'delete-job' | 'read-account';
