import { createImageBytes, type DecodedImage, type ImageBytes } from './buffers.ts';

/** The image of a body. */
export type IncomingImage = (DecodedImage & Declaration) | Malformed;

interface Declaration {
  /**
   * Media type of the data-URI prefix of `image_base64`, if it has one, or of the file of a form.
   */
  declared?: string;
  /** Whether it was the file of a form. */
  isFile?: true;
}

export interface ImageFieldReader {
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
export function createImageField(maxBytes: number, expectedBytes?: number): ImageFieldReader {
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

export interface Malformed {
  malformed: string;
  /** The field or part that had the image; `image_base64` by default. */
  field?: string;
}

interface Base64Decoder {
  /** Reads the characters from `start` to `end` of `chunk`, which may be reused afterwards. */
  write(chunk: Buffer, start: number, end: number): void;
  finish(): DecodedImage | Malformed;
}

interface BlockDecoder {
  /** @param block whole groups of four characters without padding */
  decode(block: Buffer): void;
  /** @param text the last group of four characters, padded or not */
  decodeLast(text: string): void;
  finish(): DecodedImage | Malformed;
  readonly failed: boolean;
}

const QUAD = 4;
const FIRST_ALLOCATION = 64 * 1024;
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;
const MB = 1024 * 1024;
const NOT_BASE64 = 'not base64 in the standard alphabet with padding (RFC 4648, section 4).';

/**
 * Decodes and hashes base64 chunk by chunk. It is strict: standard alphabet, padding, no
 * whitespace, unused bits zero.
 * @param maxBytes limit of the decoded size; an image over it is discarded
 * @param expectedBytes estimate of the decoded size
 */
function createBase64Decoder(maxBytes: number, expectedBytes = FIRST_ALLOCATION): Base64Decoder {
  const blocks = createBlockDecoder(maxBytes, expectedBytes);
  // Holds back the last one to four characters, because only the last group of four may be padded.
  const held = Buffer.alloc(QUAD);
  let heldLength = 0;

  function hold(chunk: Buffer, start: number, end: number): void {
    heldLength += chunk.copy(held, heldLength, start, end);
  }

  return {
    write(chunk, start, end) {
      if (blocks.failed) return;
      if (heldLength + end - start <= QUAD) return hold(chunk, start, end);
      let from = start;
      if (heldLength > 0) {
        from += QUAD - heldLength;
        hold(chunk, start, from);
        blocks.decode(held);
        heldLength = 0;
      }
      const keep = (end - from) % QUAD || QUAD;
      if (end - from > keep) blocks.decode(chunk.subarray(from, end - keep));
      hold(chunk, end - keep, end);
    },
    finish() {
      blocks.decodeLast(held.toString('latin1', 0, heldLength));
      return blocks.finish();
    },
  };
}

function createBlockDecoder(maxBytes: number, expectedBytes: number): BlockDecoder {
  let image: ImageBytes | undefined = createImageBytes(maxBytes, expectedBytes);
  let problem = '';

  function add(count: number, write: (store: Buffer, offset: number) => boolean): void {
    const added = image?.add(count, write);
    if (added === true || image === undefined) return;
    problem = added === 'over' ? `over ${maxBytes / MB} MB when decoded.` : NOT_BASE64;
    image = undefined;
  }

  return {
    decode(block) {
      const count = (block.length / QUAD) * 3;
      add(count, (store, offset) => {
        // Node skips unknown characters, so fewer bytes are written. It also accepts the URL-safe
        // alphabet.
        if (block.includes(MINUS) || block.includes(UNDERSCORE)) return false;
        return store.write(block.toString('latin1'), offset, count, 'base64') === count;
      });
    },
    decodeLast(text) {
      const bytes = Buffer.from(text, 'base64');
      // Encoding the bytes again returns the same text only if that was canonical.
      add(bytes.length, (store, offset) => {
        bytes.copy(store, offset);
        return text !== '' && bytes.toString('base64') === text;
      });
    },
    finish: () => image?.finish() ?? { malformed: problem },
    get failed() {
      return image === undefined;
    },
  };
}
