/** The header of an image. Sizes are in pixels as stored, before any EXIF orientation. */
export interface ImageHeader {
  width: number;
  height: number;
  /** As decoded: a palette counts as 3, transparency as one more. */
  channels: number;
  /** Bits per sample as decoded: 8 or 16. */
  bitDepth: number;
  /**
   * An interlaced PNG, or a JPEG with several scans: no row is complete before the end of the file.
   */
  interlaced: boolean;
  /** Whether EXIF requires a rotation or a flip. */
  turned: boolean;
  /** Frames of an animation; 1 for a still image. */
  frames: number;
  /** Bytes that the decoder holds until the last pixel, regardless of the size of the result. */
  heldBytes: number;
}

/** A header, or a message for the caller when it is refused; undefined when it is incomplete. */
export type HeaderReading = ImageHeader | string | undefined;

/** More than any encoder writes; bounds the time to read a file of empty chunks. */
export const MAX_CHUNKS = 20_000;

/** Chunk types are compared as numbers: allocating a string for each would dominate the scan. */
export const fourCc = (type: string): number => Buffer.from(type, 'latin1').readUInt32BE();
