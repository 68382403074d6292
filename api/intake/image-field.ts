import { createBase64Decoder, type Malformed } from './base64.ts';
import type { DecodedImage } from './image-bytes.ts';

/** The image of a body. */
export type IncomingImage = (DecodedImage & Declaration) | Malformed;

interface Declaration {
  /** Media type of the data-URI prefix of `image_base64`, if it has one, or of the file of a form. */
  declared?: string;
  /** Whether it was the file of a form. */
  isFile?: true;
}

export interface ImageField {
  write(chunk: Buffer, start: number, end: number): void;
  finish(): IncomingImage;
}

/** Longer than any accepted prefix. */
const HEAD = 64;
const SCHEME = 'data:';
const COMMA = 0x2c;
const PREFIX = /^data:image\/(jpe?g|png|webp);base64$/i;
const BAD_PREFIX = 'a data URI must start with data:image/jpeg;base64, or the same with png or webp.';

/** Decodes the string chunk by chunk: an optional data-URI prefix, then base64. */
export function createImageField(maxBytes: number, expectedBytes?: number): ImageField {
  const decoder = createBase64Decoder(maxBytes, expectedBytes);
  const head = Buffer.alloc(HEAD);
  let headLength = 0;
  let inHead = true;
  let declared: string | undefined;
  let problem: string | undefined;

  /** Parses the data-URI prefix once the head is long enough to tell whether there is one. */
  function parseHead(ended: boolean): void {
    const text = head.toString('latin1', 0, headLength);
    const isUri = text.slice(0, SCHEME.length).toLowerCase() === SCHEME;
    const comma = head.subarray(0, headLength).indexOf(COMMA);
    if (isUri && comma < 0) {
      if (ended || headLength === HEAD) problem = BAD_PREFIX;
      return;
    }
    if (!isUri && headLength < SCHEME.length && !ended) return;
    inHead = false;
    if (isUri) parsePrefix(text.slice(0, comma));
    decoder.write(head, isUri ? comma + 1 : 0, headLength);
  }

  function parsePrefix(prefix: string): void {
    const type = PREFIX.exec(prefix)?.[1]?.toLowerCase();
    if (type === undefined) problem = BAD_PREFIX;
    else declared = `image/${type === 'jpg' ? 'jpeg' : type}`;
  }

  return {
    write(chunk, start, end) {
      let from = start;
      if (inHead && problem === undefined) {
        const copied = chunk.copy(head, headLength, from, end);
        headLength += copied;
        from += copied;
        parseHead(false);
      }
      if (!inHead && problem === undefined && from < end) decoder.write(chunk, from, end);
    },
    finish() {
      if (inHead && problem === undefined) parseHead(true);
      if (problem !== undefined) return { malformed: problem };
      const image = decoder.finish();
      return declared === undefined || 'malformed' in image ? image : { ...image, declared };
    },
  };
}
