/**
 * The forms in which the header's key may be stored. Its bytes are read as Latin-1, and clients
 * send what is not ASCII as UTF-8 or as Latin-1.
 */
export const storedForms = (key: string): string[] => [
  ...new Set([key, Buffer.from(key, 'utf8').toString('latin1')]),
];
