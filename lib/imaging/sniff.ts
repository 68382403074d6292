import type { ImageFormat } from '../domain/records.ts';

export type ImageMime = `image/${ImageFormat}`;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The format by its magic bytes; undefined for any other than the three. */
export function sniffFormat(bytes: Buffer): ImageFormat | undefined {
  if (bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xffd8ff) return 'jpeg';
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'png';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'webp';
  return undefined;
}

/** The likely format of a refused file, for the error message; undefined when unknown. */
export function nameForeignFormat(bytes: Buffer): string | undefined {
  if (ascii(bytes, 4, 8) === 'ftyp') return ascii(bytes, 8, 11) === 'avi' ? 'AVIF' : 'HEIC or video';
  const head = ascii(bytes, 0, 256).trimStart().toLowerCase();
  return FOREIGN.find(([start]) => head.startsWith(start))?.[1];
}

const FOREIGN: readonly (readonly [start: string, name: string])[] = [
  ['gif8', 'GIF'],
  ['%pdf', 'PDF'],
  ['<svg', 'SVG'],
  ['<?xml', 'SVG'],
  ['<!doctype', 'HTML'],
  ['<html', 'HTML'],
  ['ii*\0', 'TIFF'],
  ['mm\0*', 'TIFF'],
  ['bm', 'BMP'],
  ['pk\x03\x04', 'ZIP'],
];

const ascii = (bytes: Buffer, from: number, to: number) => bytes.toString('latin1', from, to);
