/** The bytes are not a usable image. The message is shown to the client; the cause is the error of libvips. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}
