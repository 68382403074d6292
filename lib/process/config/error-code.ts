/** Why a file cannot be read, such as ENOENT; the message of the error would quote the path. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
