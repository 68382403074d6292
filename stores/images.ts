import type { ObjectRef } from './records.ts';

/** Thrown when an input image that should be there is not. Final: asking again will not bring it back. */
export class ImageMissing extends Error {
  override readonly name = 'ImageMissing';

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no input image ${key}.`, options);
  }
}

/** Thrown when the store can't be reached, refuses or takes too long. Worth another try later. */
export class ImageStoreUnavailable extends Error {
  override readonly name = 'ImageStoreUnavailable';
}

export interface RemovalFailure {
  ref: ObjectRef;
  reason: string;
}

export interface Listing {
  /** Objects last written before the asked moment, in the order of their keys. May be empty although `next` is set. */
  found: { key: string; lastModified: Date }[];
  /** Pass it as `after` for the next page; undefined on the last one. */
  next: string | undefined;
}

/** Input images (private) and results (public by URL). Every method but `remove` throws ImageStoreUnavailable. */
export interface ImageStore {
  /** @param sha256 digest of the bytes in hex, when it is known already: the store then checks the upload against it */
  putInput(key: string, bytes: Uint8Array, mime: string, sha256?: string): Promise<void>;
  /** @throws ImageMissing */
  getInput(key: string): Promise<Buffer>;
  putResult(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  /**
   * Removes what is there; absent objects count as removed. Never throws.
   * @returns the objects that may still be there, each with the reason
   */
  remove(refs: readonly ObjectRef[]): Promise<RemovalFailure[]>;
  /** One page of at most `limit` objects is looked at (1000 unless told), so memory stays bounded. */
  list(bucket: ObjectRef['bucket'], olderThan: Date, after?: string, limit?: number): Promise<Listing>;
  /** Public URL of a result; needs no call. */
  resultUrl(key: string): string;
}

/** {upload_url}/<key>, with every segment of the key escaped. */
export function publicUrl(uploadUrl: string, key: string): string {
  return `${uploadUrl}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
