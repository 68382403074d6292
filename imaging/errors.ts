/** The bytes are no usable picture. The message is fit for the client who sent them; the cause is libvips's own. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}
