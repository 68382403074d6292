import { createHash } from 'node:crypto';
import { ApiError, type ErrorCode } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { ImageFormat } from '../../lib/domain/records.ts';
import { type Egress, EgressError, type Fetched } from '../../lib/egress/egress.ts';
import { inspectImage } from '../../lib/imaging/inspect.ts';
import { sniffFormat } from '../../lib/imaging/sniff.ts';
import type { ApiLimits } from '../admission/limits.ts';
import type { BytesPermit, RequestPermits } from '../admission/request-permits.ts';
import type { UnpaidFetch } from '../admission/unpaid-fetches.ts';
import type { IncomingImage } from '../intake/image-field.ts';

/** An image that has passed the safety limits and may be stored. */
export interface CheckedImage {
  bytes: Buffer;
  /**
   * Format in which input and result are stored. The bytes may be in another of the three formats.
   */
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

/** Dependencies of a fetch, its account, and the limits that apply to it. */
export interface Fetching {
  egress: Egress;
  limits: ApiLimits;
  permits: RequestPermits;
  accountId: string;
  isDryRun: boolean;
}

/** To be disposed of when the request has ended: its bytes then count as unpaid. */
export interface FetchedImage extends Disposable {
  image: CheckedImage;
  /** To be called once the job is charged: its bytes then do not count. */
  onCharged(): void;
}

/**
 * @throws ApiError image_fetch_failed, invalid_image when the response is not an image within the
 * limits, rate_limited or internal_error when a permit was not granted in time
 */
export async function imageFromUrl(fetching: Fetching, url: string): Promise<FetchedImage> {
  const { limits, permits, accountId, isDryRun } = fetching;
  const unpaid = limits.unpaidFetches.begin(accountId, isDryRun);
  try {
    unpaid.check();
    // Checked again with each request: while this fetch waits here, others may reach the limit.
    using _permit = await permits.take(limits.fetches, 1);
    const { body, contentType, sha256 } = await fetchImage(fetching, url, unpaid);
    const bytesFormat = checkBytes(body);
    const image = { bytes: body, format: FORMATS[contentType] ?? bytesFormat, sha256 };
    return { image, onCharged: unpaid.onCharged, [Symbol.dispose]: unpaid[Symbol.dispose] };
  } catch (error) {
    unpaid[Symbol.dispose]();
    throw error;
  }
}

async function fetchImage(
  { egress, limits, permits }: Fetching,
  url: string,
  unpaid: UnpaidFetch,
): Promise<Fetched & Pick<CheckedImage, 'sha256'>> {
  // Hashed chunk by chunk, because hashing 20 MB at once would block the event loop.
  const hash = createHash('sha256');
  let permit: BytesPermit | undefined;
  let received = 0;
  try {
    const fetched = await egress.fetch(url, {
      timeoutMs: LIMITS.fetchTimeoutMs,
      maxBytes: LIMITS.imageBytes,
      redirects: LIMITS.fetchRedirects,
      mediaType: 'image/',
      request: unpaid.request,
      admit: async (maxBytes) => {
        unpaid.expect(maxBytes);
        permit = await permits.takeBytes(limits, maxBytes);
      },
      // Stops the fetch early when the first bytes are not those of an image.
      refuseStart: (start) => (sniffFormat(start) === undefined ? reasonOf(start) : undefined),
      received(chunk) {
        received += chunk.length;
        hash.update(chunk);
      },
    });
    permit?.shrink(fetched.body.length);
    return { ...fetched, sha256: hash.digest('hex') };
  } catch (error) {
    permit?.release();
    if (!(error instanceof EgressError)) throw error;
    // Counts in full: its framing may have exceeded the limit, and `received` does not see framing.
    if (error.kind === 'too_large' && permit !== undefined) received = LIMITS.imageBytes;
    throw new ApiError(CODES[error.kind] ?? 'image_fetch_failed', `image_url: ${error.message}`, {
      cause: error,
    });
  } finally {
    unpaid.received(received);
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
