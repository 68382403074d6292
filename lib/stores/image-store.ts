import type { ObjectRef } from '../domain/records.ts';
import type { RemovalFailure } from '../domain/remove-images.ts';

/** Thrown when an input image does not exist. Not retryable. */
export class ImageMissing extends Error {
  override readonly name = 'ImageMissing';

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no input image ${key}.`, options);
  }
}

/** Thrown when the image store is unreachable, refuses the request or times out. Retryable. */
export class ImageStoreUnavailable extends Error {
  override readonly name = 'ImageStoreUnavailable';
}

/**
 * Key of the object that has the mark of a bucket, see lib/domain/installation.ts. It is neither
 * listed nor removed.
 */
export const MARK_KEY = '.installation';

export interface Listing {
  /**
   * Objects with the time when they were last written, ordered by key. May be empty although `next`
   * is set.
   */
  found: { key: string; lastModified: Date }[];
  /** `after` of the next page; undefined on the last page. */
  next: string | undefined;
}

/**
 * Input images (private) and results (public by URL). Every method but `remove` throws
 * ImageStoreUnavailable.
 */
export interface ImageStore {
  /**
   * @param sha256 digest of the bytes in hex, if already known; the store verifies the upload with
   * it
   */
  putInput(key: string, bytes: Uint8Array, mime: string, sha256?: string): Promise<void>;
  /** @throws ImageMissing */
  getInput(key: string): Promise<Buffer>;
  putResult(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  /**
   * Removes objects; absent ones count as removed. Never throws.
   * @returns the objects that may still exist, each with the reason
   */
  remove(refs: readonly ObjectRef[]): Promise<RemovalFailure[]>;
  /** One page: checks at most `limit` objects (default 1000), so memory is bounded. */
  list(bucket: ObjectRef['bucket'], after?: string, limit?: number): Promise<Listing>;
  exists(ref: ObjectRef): Promise<boolean>;
  /** The mark of a bucket; undefined if it has none. */
  mark(bucket: ObjectRef['bucket']): Promise<string | undefined>;
  setMark(bucket: ObjectRef['bucket'], mark: string): Promise<void>;
  /** Whether both buckets can be used. Makes one try. @throws ImageStoreUnavailable */
  check(): Promise<void>;
  /** Public URL of a result; no request is made. */
  resultUrl(key: string): string;
}

/** {upload_url}/<key>, with each segment of the key percent-encoded. */
export function publicUrl(uploadUrl: string, key: string): string {
  return `${uploadUrl}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
