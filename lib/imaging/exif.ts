const ORIENTATION = 0x0112;
const ENTRY_LENGTH = 12;

/**
 * Whether the image is stored rotated or mirrored: tag Orientation of the first directory (EXIF
 * 2.3, 4.6.4). In a JPEG and in some WebP files, six bytes precede the TIFF header. Bytes that are
 * not valid EXIF count as upright.
 */
export function isTurned(exif: Buffer): boolean {
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return false;
  const little = order === 'II';
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  if (tiff.length < 8) return false;
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return false;
  const end = Math.min(directory + 2 + short(directory) * ENTRY_LENGTH, tiff.length - ENTRY_LENGTH + 1);
  for (let at = directory + 2; at < end; at += ENTRY_LENGTH)
    if (short(at) === ORIENTATION) return short(at + 8) !== 1;
  return false;
}
