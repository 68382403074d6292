import { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../process/config/config.ts';
import { abortAfter } from '../../process/countdown.ts';

/** Timeout of one operation including retries, in milliseconds; an API request waits for it. */
const OPERATION_TIMEOUT_MS = 15_000;

/**
 * An S3 client with a timeout at every stage. Without keys, the AWS SDK finds credentials by
 * itself: a role of the pod, the task or the instance. The caller closes it with `destroy()`.
 */
export function createS3Client(s3: Config['s3'], maxAttempts = 3): S3Client {
  return new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    ...(s3.accessKeyId === ''
      ? {}
      : { credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey } }),
    forcePathStyle: s3.pathStyle,
    maxAttempts,
    // Uploads are signed with the SHA-256 of their bytes. The SDK's CRC32 would be a second pass
    // over them, and some S3-compatible servers store its trailer as part of the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 2000,
      requestTimeout: 10_000,
      throwOnRequestTimeout: true,
      socketTimeout: 10_000,
    },
  });
}

export const deadline = () => ({ abortSignal: abortAfter(OPERATION_TIMEOUT_MS) });
