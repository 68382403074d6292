/** `scans` stops counting one past the limit that was asked for. */
export interface JpegHeader {
  width: number;
  height: number;
  scans: number;
}

const SOS = 0xda;
const EOI = 0xd9;
/** More than any camera writes; bounds the time a file of nothing but empty segments takes. */
const SEGMENTS = 10_000;

/**
 * Walks the markers as libjpeg's next_marker does (ITU-T T.81, B.1.1): segments are skipped by their length,
 * so an embedded thumbnail counts for nothing, and stuffed or restart bytes in entropy data are passed over.
 * Stops once there are more than `scansAtMost` scans, so the time is linear in the size whatever is sent.
 */
export function readJpegHeader(bytes: Buffer, scansAtMost: number): JpegHeader | undefined {
  let segments = 0;
  const header = { width: -1, height: -1, scans: 0 };
  for (let at = nextMarker(bytes, 2); at !== -1; at = nextMarker(bytes, at)) {
    const marker = bytes[at] ?? EOI;
    if (marker === EOI) break;
    at += 1;
    if (++segments > SEGMENTS) return undefined;
    const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0;
    if (length < 2 || at + length > bytes.length) break;
    if (isStartOfFrame(marker) && header.width === -1) {
      if (length < 8) return undefined;
      header.height = bytes.readUInt16BE(at + 3);
      header.width = bytes.readUInt16BE(at + 5);
    }
    if (marker === SOS && ++header.scans > scansAtMost) break;
    at += length;
  }
  return header.width === -1 || header.scans === 0 ? undefined : header;
}

/**
 * Position of the next marker's code byte, past fill, stuffed and restart bytes; -1 at the end of the bytes.
 * Native search leaps over the gaps of real pictures; where FFs are dense a call for each would cost ten times more.
 */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = from, near = from + 32; at < bytes.length - 1; at++) {
    if (bytes[at] !== 0xff) {
      if (at < near) continue;
      at = bytes.indexOf(0xff, at);
      if (at === -1) return -1;
    }
    near = at + 32;
    if (isMarkerCode(bytes[at + 1] ?? 0)) return at + 1;
  }
  return -1;
}

/** Neither stuffing (00), fill (FF), TEM (01) nor one of the restart markers, none of which has a length. */
const isMarkerCode = (code: number) => code > 0x01 && code !== 0xff && (code < 0xd0 || code > 0xd7);

/** C0 to CF are frames, less DHT, the reserved JPG and DAC. */
const isStartOfFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
