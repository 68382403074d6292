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
});

export type RouteGroup = 'create-job' | 'read-job' | 'delete-job' | 'read-account';
