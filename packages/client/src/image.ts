import { toBase64 } from './base64.ts';
import { sha256 } from './digest.ts';

/** A photo as its bytes, or the public https URL that the service fetches it from. */
export type ImageSource = Blob | Uint8Array | URL;

/** A photo as a request carries it. */
export interface ImageField {
  field(): { image_url: string } | { image_base64: string };
  /** Equal for what the service takes as the same photo. */
  identity: string;
}

const FORMATS: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

export async function imageField(source: ImageSource): Promise<ImageField> {
  if (source instanceof URL) return { field: () => ({ image_url: source.href }), identity: source.href };
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(await source.arrayBuffer());
  // The prefix selects the format of the result. Without one, the service answers what is wrong with the bytes.
  const type = formatOf(bytes);
  const prefix = type === undefined ? '' : `data:${type};base64,`;
  return {
    field: () => ({ image_base64: prefix + toBase64(bytes) }),
    identity: prefix + (await sha256(bytes)),
  };
}

function formatOf(bytes: Uint8Array): string | undefined {
  return FORMATS.find(({ at, bytes: magic }) => magic.every((byte, index) => bytes[at + index] === byte))
    ?.type;
}
