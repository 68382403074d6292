/** What the header of a picture says; sizes in pixels as stored, before any EXIF orientation. */
export interface PictureHeader {
  width: number;
  height: number;
  /** As decoded: a palette is 3 and transparency one more. */
  channels: number;
  /** Bits of a sample as decoded: 8 or 16. */
  bitDepth: number;
  /** An interlaced PNG, or a JPEG whose pixels come in several scans: no part of it is done before its end. */
  interlaced: boolean;
  /** EXIF says that it has to be turned or mirrored. */
  turned: boolean;
  /** 1 unless it is an animation. */
  frames: number;
  /** Bytes that its decoder holds until the last pixel, however small the result will be. */
  heldBytes: number;
}

/** A header, a sentence that tells the caller what is wrong with it, or nothing: it is not all there. */
export type HeaderReading = PictureHeader | string | undefined;

/** More than any encoder writes; bounds the time that a file of nothing but empty chunks takes. */
export const CHUNKS_AT_MOST = 20_000;

/** Types of chunks are compared as numbers: a string for each would take longer than the walk. */
export const fourCc = (type: string): number => Buffer.from(type, 'latin1').readUInt32BE();
