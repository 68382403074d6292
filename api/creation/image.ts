import { createHash } from 'node:crypto';
import { ApiError, type ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Egress, EgressError, type Fetched } from '../../egress/egress.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import { sniffFormat } from '../../imaging/sniff.ts';
import type { ImageFormat } from '../../stores/records.ts';
import type { Spending } from '../allowance.ts';
import type { Budgets } from '../budgets.ts';
import type { BytesLease, Hold } from '../hold.ts';
import type { IncomingImage } from '../intake/image-field.ts';

/** A picture that may be stored: its bytes passed the safety limits. */
export interface CheckedImage {
  bytes: Buffer;
  /** Format the input and its result are stored in; the bytes may be another of the three. */
  format: ImageFormat;
  /** Of the bytes, in hex. */
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

/** @throws ApiError invalid_image when it is no picture within the limits */
export function imageFromBase64(image: IncomingImage): CheckedImage {
  if ('malformed' in image) throw new ApiError('invalid_image', `image_base64: ${image.malformed}`);
  checkBytes(image.bytes);
  const format = FORMATS[image.declared ?? 'image/jpeg'] ?? 'jpeg';
  return { bytes: image.bytes, format, sha256: image.sha256 };
}

/** Who fetches, and the budgets that bound it. */
export interface Fetching {
  egress: Egress;
  budgets: Budgets;
  hold: Hold;
  keyId: string;
}

/** A picture by its URL, and what to call once its job is charged: it gives the bytes back to the key's allowance. */
export interface FetchedImage {
  picture: CheckedImage;
  paid(): void;
}

/**
 * @throws ApiError image_fetch_failed, invalid_image when what was fetched is no picture within the limits, rate_limited
 * or internal_error when a budget had no room in time
 */
export async function imageFromUrl(fetching: Fetching, url: string): Promise<FetchedImage> {
  const { budgets, hold, keyId } = fetching;
  refuseUnpaid(budgets.unpaid.wait(keyId));
  using _place = await hold.take(budgets.fetches, 1);
  // Once more: while this one waited, those before it may have spent what there was.
  refuseUnpaid(budgets.unpaid.wait(keyId));
  const spending = budgets.unpaid.spend(keyId);
  const { body, contentType, sha256 } = await fetchImage(fetching, url, spending);
  const bytesFormat = checkBytes(body);
  const picture = { bytes: body, format: FORMATS[contentType] ?? bytesFormat, sha256 };
  return { picture, paid: spending.giveBack };
}

/** Waiting is no help: what was fetched for nothing counts for a minute, longer than a request may wait. */
function refuseUnpaid(waitMs: number): void {
  if (waitMs === 0) return;
  const retryAfter = Math.ceil(waitMs / 1000);
  const told = `The key has fetched too much by image_url for requests that were refused. Retry in ${retryAfter} seconds.`;
  throw new ApiError('rate_limited', told, { retryAfter });
}

async function fetchImage(
  { egress, budgets, hold }: Fetching,
  url: string,
  spending: Spending,
): Promise<Fetched & Pick<CheckedImage, 'sha256'>> {
  // Piece by piece: all of it at once would hold everybody else up.
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
      // What is no picture at all is not fetched to its end.
      refuseStart: (start) => (sniffFormat(start) === undefined ? reasonOf(start) : undefined),
      received(piece) {
        spending.add(piece.length);
        hash.update(piece);
      },
    });
    lease?.shrink(fetched.body.length);
    return { ...fetched, sha256: hash.digest('hex') };
  } catch (error) {
    lease?.release();
    if (!(error instanceof EgressError)) throw error;
    // Framing, which no body counts, comes to more than this at the most.
    if (error.kind === 'too_large') spending.add(LIMITS.imageBytes);
    throw new ApiError(CODES[error.kind] ?? 'image_fetch_failed', `image_url: ${error.message}`, {
      cause: error,
    });
  }
}

/** Where the server is not at fault, but what it has sent. */
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
