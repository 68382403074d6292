import { createHash } from 'node:crypto';
import { rateLimited } from '../../contract/api-errors.ts';
import { ApiError, type ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { ImageFormat } from '../../domain/records.ts';
import { type Egress, EgressError, type Fetched } from '../../egress/egress.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import { sniffFormat } from '../../imaging/sniff.ts';
import type { Spending } from '../budgets/allowance.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { BytesLease, Hold } from '../budgets/hold.ts';
import type { IncomingImage } from '../intake/image-field.ts';

/** An image that has passed the safety limits and may be stored. */
export interface CheckedImage {
  bytes: Buffer;
  /** Format in which input and result are stored. The bytes may be in another of the three formats. */
  format: ImageFormat;
  /** SHA-256 of the bytes, in hex. */
  sha256: string;
}

const FORMATS: Record<string, ImageFormat> = {
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/pjpeg': 'jpeg',
  'image/png': 'png',
  'image/x-png': 'png',
  'image/webp': 'webp',
};

/** @throws ApiError invalid_image when it is not an image within the limits */
export function imageFromBody(image: IncomingImage): CheckedImage {
  if ('malformed' in image)
    throw new ApiError('invalid_image', `${image.field ?? 'image_base64'}: ${image.malformed}`);
  checkBytes(image.bytes);
  const format = FORMATS[image.declared ?? 'image/jpeg'] ?? 'jpeg';
  return { bytes: image.bytes, format, sha256: image.sha256 };
}

/** Dependencies of a fetch, its key, and the budgets that bound it. */
export interface Fetching {
  egress: Egress;
  budgets: Budgets;
  hold: Hold;
  keyId: string;
}

export interface FetchedImage {
  image: CheckedImage;
  /** To be called once the job is charged: its bytes then do not count as unpaid. */
  onCharged(): void;
}

/**
 * @throws ApiError image_fetch_failed, invalid_image when the response is not an image within the limits, rate_limited
 * or internal_error when a budget had no room in time
 */
export async function imageFromUrl(fetching: Fetching, url: string): Promise<FetchedImage> {
  const { budgets, hold, keyId } = fetching;
  refuseUnpaid(budgets.unpaid.wait(keyId));
  using _slot = await hold.take(budgets.fetches, 1);
  // Checked again: while this fetch waited, others may have used up the allowance.
  refuseUnpaid(budgets.unpaid.wait(keyId));
  const spending = budgets.unpaid.spend(keyId);
  const { body, contentType, sha256 } = await fetchImage(fetching, url, spending);
  const bytesFormat = checkBytes(body);
  const image = { bytes: body, format: FORMATS[contentType] ?? bytesFormat, sha256 };
  return { image, onCharged: spending.cancel };
}

/** Rejects at once: unpaid bytes count for a minute, which is longer than a request may wait. */
function refuseUnpaid(waitMs: number): void {
  if (waitMs === 0) return;
  const retryAfter = Math.ceil(waitMs / 1000);
  throw rateLimited(
    'unpaid-bytes',
    'This key has fetched too many bytes by image_url for rejected requests and dry runs.',
    retryAfter,
  );
}

async function fetchImage(
  { egress, budgets, hold }: Fetching,
  url: string,
  spending: Spending,
): Promise<Fetched & Pick<CheckedImage, 'sha256'>> {
  // Hashed chunk by chunk, because hashing 20 MB at once would block the event loop.
  const hash = createHash('sha256');
  let lease: BytesLease | undefined;
  try {
    const fetched = await egress.fetch(url, {
      timeoutMs: LIMITS.fetchTimeoutMs,
      maxBytes: LIMITS.imageBytes,
      redirects: LIMITS.fetchRedirects,
      mediaType: 'image/',
      admit: async (maxBytes) => {
        lease = await hold.takeBytes(budgets, maxBytes);
      },
      // Stops the fetch early when the first bytes are not those of an image.
      refuseStart: (start) => (sniffFormat(start) === undefined ? reasonOf(start) : undefined),
      received(chunk) {
        spending.add(chunk.length);
        hash.update(chunk);
      },
    });
    lease?.shrink(fetched.body.length);
    return { ...fetched, sha256: hash.digest('hex') };
  } catch (error) {
    lease?.release();
    if (!(error instanceof EgressError)) throw error;
    // Counted in full: the framing of a response may have exceeded the limit, which `received` does not see.
    if (error.kind === 'too_large') spending.add(LIMITS.imageBytes);
    throw new ApiError(CODES[error.kind] ?? 'image_fetch_failed', `image_url: ${error.message}`, {
      cause: error,
    });
  }
}

/** Failures that concern the image itself rather than the fetch. */
const CODES: Partial<Record<EgressError['kind'], ErrorCode>> = {
  too_large: 'invalid_image',
  content: 'invalid_image',
};

function reasonOf(bytes: Buffer): string | undefined {
  const verdict = inspectImage(bytes);
  return verdict.ok ? undefined : verdict.reason;
}

function checkBytes(bytes: Buffer): ImageFormat {
  const verdict = inspectImage(bytes);
  if (!verdict.ok) throw new ApiError('invalid_image', verdict.reason);
  return verdict.format;
}
