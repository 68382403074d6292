import { LIMITS } from '../../lib/contract/limits.ts';
import { createImageBytes, type ImageBytes } from './image-bytes.ts';
import type { IncomingImage } from './image-field.ts';

export interface ImagePart {
  write(chunk: Buffer): void;
  finish(): IncomingImage;
}

const MB = 1024 * 1024;
const JPEG = 'image/jpeg';
/** `text/plain` is the type of a part without a Content-Type (RFC 7578, 4.4). */
const TYPES = new Map([
  [JPEG, JPEG],
  ['image/jpg', JPEG],
  ['image/pjpeg', JPEG],
  ['application/octet-stream', JPEG],
  ['text/plain', JPEG],
  ['image/png', 'image/png'],
  ['image/x-png', 'image/png'],
  ['image/webp', 'image/webp'],
]);
const BAD_TYPE = 'its Content-Type must be image/jpeg, image/png or image/webp. Without one it is JPEG.';

/**
 * Collects the part `image` of a form. Its Content-Type stands for the prefix of a data URI.
 * @param type media type in lower case, without parameters
 * @param expectedBytes estimate of the size
 */
export function createImagePart(type: string, expectedBytes: number): ImagePart {
  const declared = TYPES.get(type);
  let image: ImageBytes | undefined;
  let size = 0;
  if (declared !== undefined) image = createImageBytes(LIMITS.imageBytes, expectedBytes);

  return {
    write(chunk) {
      size += chunk.length;
      const store = (target: Buffer, offset: number) => chunk.copy(target, offset) === chunk.length;
      if (image?.add(chunk.length, store) === 'over') image = undefined;
    },
    finish() {
      if (declared === undefined) return malformed(BAD_TYPE);
      if (size === 0) return malformed('the file is empty.');
      if (image === undefined) return malformed(`over ${LIMITS.imageBytes / MB} MB.`);
      return { ...image.finish(), declared, isFile: true };
    },
  };
}

const malformed = (reason: string): IncomingImage => ({ malformed: reason, field: 'image' });
