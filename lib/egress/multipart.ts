import { FormData, Response } from 'undici';

export interface MultipartFile {
  bytes: Buffer;
  filename: string;
  /** Media type. */
  type: string;
}

/** Name and value. A name may occur several times. */
export type MultipartField = readonly [name: string, value: string | MultipartFile];

export interface MultipartBody {
  headers: { 'content-type': string };
  body: Buffer;
}

/**
 * Encodes fields as multipart/form-data (RFC 7578), in their order. Line breaks of text become
 * CRLF.
 */
export async function multipart(fields: readonly MultipartField[]): Promise<MultipartBody> {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value.bytes], { type: value.type }), value.filename);
  }
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { headers, body: Buffer.from(await encoded.arrayBuffer()) };
}
