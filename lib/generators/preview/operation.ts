import type { RawImage } from '../../imaging/libvips.ts';

export type Settings = Readonly<Record<string, string>>;

/**
 * Edits an image, which it may overwrite, and keeps its size. Undefined when the image has nothing that the operation
 * can work on, for example no sky; the image is then unchanged.
 */
export type Operation = (image: RawImage, settings: Settings) => Promise<RawImage | undefined>;
