/**
 * Bytes per step. A multiple of 3, so that only the last step is padded. Few enough for the
 * arguments of one call.
 */
const STEP = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += STEP)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + STEP))));
  return parts.join('');
}

/** @throws {DOMException} when the text is not base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
