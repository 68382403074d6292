/** The contract's MB is 1,048,576 bytes. */
const KB = 1024;
const MB = KB * KB;

/**
 * Limits of version 1 (spec: Limits). Lengths are in characters, sizes in bytes, times in
 * milliseconds.
 */
export const LIMITS = Object.freeze({
  imageBytes: 20 * MB,
  imagePixels: 100_000_000,
  imageSide: 16_384,
  imageFrames: 100,
  /**
   * Most decoded bytes of an image that cannot be decoded row by row: interlaced PNG, progressive
   * JPEG.
   */
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
  /** Additions to the contract: rows of a page of a list, and characters of its cursor. */
  listPage: 100,
  listPageDefault: 20,
  cursorLength: 200,
  /** Addition: attempts of a webhook delivery that a list shows. */
  deliveryAttempts: 8,
  /** Addition: bytes of a form besides the contents of its parts. */
  formFramingBytes: 16 * KB,
  /**
   * Addition: bytes of the body of PUT /v1/webhook-endpoint. A URL whose characters are all escaped
   * fits.
   */
  endpointBodyBytes: 32 * KB,
});

/** Requests in a sliding 60-second window, by route group (spec: Rate limits). */
export const RATE_LIMITS = Object.freeze({
  windowMs: 60_000,
  'create-job': 60,
  'read-job': 300,
  'delete-job': 60,
  'read-account': 120,
  /**
   * Additions to the contract: GET /v1/jobs, /v1/ledger and /v1/webhook-deliveries; all other
   * /v1/webhook-* routes.
   */
  list: 120,
  webhooks: 60,
  ip: 600,
  /**
   * An addition to the contract: all clients of one IPv6 /48. A client is an IPv4 address or an
   * IPv6 /64.
   */
  site: 6000,
  /** Additions as well: the same for requests outside /v1, which are counted apart. */
  'ip-other': 600,
  'site-other': 6000,
});

/**
 * Limits of what is in flight in one API process, so that no caller can exhaust it. A request over
 * a limit waits, for `queueMs` in total. Ordinary use within the rate limits stays below them.
 */
export const IN_FLIGHT = Object.freeze({
  /** Bytes of bodies and fetched images in flight for one key. */
  keyBytes: 64 * MB,
  /** Concurrent fetches of an `image_url` for one key. */
  keyFetches: 8,
  /** Concurrent acceptances of one account. Each occupies a worker until MongoDB has responded. */
  accountAcceptances: 50,
  queueMs: 30_000,
});

/**
 * Jobs of one account that may be refunded within `windowMs` of the first. Failures count as
 * countsTowardsLimit says. Jobs that a client cancels count as well.
 */
export const FAILED_JOBS = Object.freeze({
  account: 100,
  /** The same for an account with a paid pack. */
  paidAccount: 1000,
  windowMs: 3_600_000,
});

/**
 * Limits of fetches of an `image_url` by requests that charge nothing. The limit of an account is
 * configured (UNPAID_MB_PER_MINUTE). The other limits are in proportion to it.
 */
export const UNPAID = Object.freeze({
  /**
   * The part of it that dry runs may use. A client can repeat them for free with any picture of any
   * host.
   */
  dryRunShare: 1 / 8,
  /** From one host, all accounts together may fetch as much as this number of accounts. */
  accountsPerHost: 2,
  /**
   * Counts for each request besides the bytes of its image: a connection and a handshake cost a
   * host more than a 404.
   */
  requestBytes: 256 * KB,
});

/**
 * Webhooks that clients ask for, per account and hour: an addition. Each starts a workflow, whose
 * history is kept.
 */
export const WEBHOOK_LIMITS = Object.freeze({
  windowMs: 3_600_000,
  'test-events': 60,
  redeliveries: 300,
});

/** The minimum pace of a body while it is being read. */
export const PACE = Object.freeze({
  bytesPerSecond: 16 * KB,
  /**
   * Time for the body of a request to arrive, once it is being read. Meanwhile it has a permit. 30
   * MB need 4 Mbit/s.
   */
  bodyMs: 60_000,
  /** How long it may stall, or fall behind that rate. */
  slackMs: 10_000,
  /**
   * The first chunks may have any size; beyond this number the average must be at least
   * `pieceBytes`.
   */
  freePieces: 2000,
  pieceBytes: 512,
});

/** Bounds on requests that wait for a job to end: an addition to the contract. */
export const WAITING = Object.freeze({
  /** Longest `wait` of a Prefer header that is applied, in seconds. */
  preferSeconds: 60,
  /** An event stream ends after this time, and its client connects again. */
  streamMs: 600_000,
  heartbeatMs: 15_000,
  /** Time between two events that tell how long the job has taken. */
  progressMs: 5000,
  /**
   * An event stream tells its client to wait this long, or up to twice as long, before it connects
   * again.
   */
  reconnectMs: 3000,
  /**
   * Waiting requests of one API process, and of one account in it. Further requests are answered at
   * once.
   */
  requests: 5000,
  accountRequests: 1000,
  /** Most seconds of a Retry-After that says when a job is likely to have ended. */
  retryAfterSeconds: 30,
});

/** Pipelined requests of one connection that may wait for the one before them. */
export const WAITING_REQUESTS = 16;

/** The limit that a `rate_limited` request has exceeded. */
export type LimitName =
  | RouteGroup
  | AddressLimit
  | 'in-flight'
  | 'unpaid-bytes'
  | 'dry-run-bytes'
  | 'host-bytes'
  | WebhookLimit
  | 'failed-jobs'
  | 'unread-bodies'
  | 'secret-rotations';

/** Limits of a client address or a network, whatever the key. */
export type AddressLimit = 'ip' | 'site' | 'ip-other' | 'site-other';

/** Limits of the webhooks that the clients of an account ask for. */
export type WebhookLimit = 'test-events' | 'redeliveries';

export type RouteGroup = 'create-job' | 'read-job' | 'delete-job' | 'read-account' | 'list' | 'webhooks';
