import { sha256 } from './digest.ts';

/** A photo as its bytes, or the public https URL that the service fetches it from. */
export type ImageSource = Blob | Uint8Array | URL;

/** A photo as a request carries it. */
export interface ImageField {
  /** A URL, or the bytes with the type that selects the format of the result. */
  image: URL | Blob;
  /** Equal for two photos that the service takes as the same. */
  identity: string;
}

const FORMATS: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** @throws {TypeError} for another value, in a program without types */
export async function imageField(source: ImageSource): Promise<ImageField> {
  if (source instanceof URL) return { image: source, identity: source.href };
  const bytes = await bytesOf(source);
  // The service refuses bytes without a known type, and says why.
  const type = imageType(bytes) ?? '';
  return { image: new Blob([bytes], { type }), identity: `${type}:${await sha256(bytes)}` };
}

async function bytesOf(source: Blob | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  if (source instanceof Uint8Array) return new Uint8Array(source);
  if (typeof source?.arrayBuffer === 'function') return new Uint8Array(await source.arrayBuffer());
  const given = source === null ? 'null' : typeof source;
  throw new TypeError(
    `image must be a Blob, a Uint8Array, a URL object or a path, and is ${given}: pass the photo.`,
  );
}

/** The media type of a JPEG, PNG or WebP, by its first bytes. */
export function imageType(bytes: Uint8Array): string | undefined {
  return FORMATS.find(({ at, bytes: magic }) => magic.every((byte, index) => bytes[at + index] === byte))
    ?.type;
}
