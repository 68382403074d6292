import type { ObjectRef } from './records.ts';

type Bucket = ObjectRef['bucket'];

/**
 * The text in a bucket that says which installation it belongs to, and which of its buckets it is.
 * MongoDB has the same installation id, which is not a secret: anyone can read the mark of the
 * bucket of results.
 */
export const markOf = (installation: string, bucket: Bucket): string => `${installation} ${bucket}`;

/** The installation and the bucket that a mark names. Both are '' if the text is not a mark. */
export function readMark(mark: string): { installation: string; bucket: string } {
  const [, installation = '', bucket = ''] = /^([0-9a-f-]{36}) (inputs|results)\s*$/.exec(mark) ?? [];
  return { installation, bucket };
}
