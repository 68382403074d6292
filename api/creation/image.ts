import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Egress, EgressError } from '../../egress/egress.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import type { ImageFormat } from '../../stores/records.ts';
import type { IncomingImage } from '../intake/image-field.ts';

/** A picture that may be stored: its bytes passed the safety limits. */
export interface CheckedImage {
  bytes: Buffer;
  /** Format the input and its result are stored in; the bytes may be another of the three. */
  format: ImageFormat;
  sha256?: string;
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

/** @throws ApiError image_fetch_failed, or invalid_image when what was fetched is no picture within the limits */
export async function imageFromUrl(egress: Egress, url: string): Promise<CheckedImage> {
  const { body, contentType } = await fetchImage(egress, url);
  const bytesFormat = checkBytes(body);
  return { bytes: body, format: FORMATS[contentType] ?? bytesFormat };
}

async function fetchImage(egress: Egress, url: string) {
  try {
    return await egress.fetch(url, {
      timeoutMs: LIMITS.fetchTimeoutMs,
      maxBytes: LIMITS.imageBytes,
      redirects: LIMITS.fetchRedirects,
      mediaType: 'image/',
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const code = error.kind === 'too_large' ? 'invalid_image' : 'image_fetch_failed';
    throw new ApiError(code, `image_url: ${error.message}`, { cause: error });
  }
}

function checkBytes(bytes: Buffer): ImageFormat {
  const verdict = inspectImage(bytes);
  if (!verdict.ok) throw new ApiError('invalid_image', verdict.reason);
  return verdict.format;
}
