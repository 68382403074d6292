/** A part of a form, as the client spells it. */
export interface FormPart {
  /** Of Content-Disposition; `undefined` leaves the header out. */
  name: string | undefined;
  content: string | Buffer;
  type?: string;
  filename?: string;
  /** More header lines. */
  headers?: readonly string[];
}

export const BOUNDARY = '----Boundary7MA4YWxkTrZu0gW';

/** Encodes multipart/form-data byte for byte, so that tests can misspell it. */
export function formBody(parts: readonly FormPart[], boundary = BOUNDARY): Buffer {
  const encoded = parts.flatMap(({ name, content, type, filename, headers = [] }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const lines = [
      `--${boundary}`,
      ...(name === undefined ? [] : [`Content-Disposition: form-data; name="${name}"${file}`]),
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ...headers,
    ];
    return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')];
  });
  return Buffer.concat([...encoded, Buffer.from(`--${boundary}--\r\n`)]);
}

export const formType = (boundary = BOUNDARY) => `multipart/form-data; boundary=${boundary}`;

export const jobPart = (fields: object): FormPart => ({ name: 'job', content: JSON.stringify(fields) });

/** The part as browsers and curl send a file. */
export const imagePart = (content: string | Buffer, type?: string): FormPart => ({
  name: 'image',
  content,
  filename: 'room.jpg',
  ...(type === undefined ? {} : { type }),
});
