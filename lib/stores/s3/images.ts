import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { ObjectRef } from '../../domain/records.ts';
import type { RemovalFailure } from '../../domain/remove-images.ts';
import type { Config } from '../../process/config/config.ts';
import { ImageMissing, type ImageStore, ImageStoreUnavailable, MARK_KEY, publicUrl } from '../image-store.ts';
import { createS3Client, deadline } from './client.ts';

/** Maximum number of keys per DeleteObjects or ListObjectsV2 (S3 API reference). */
const BATCH = 1000;

/** The S3 adapter. Owns its clients; `await using` closes it. */
export function createImageStore(s3: Config['s3']): ImageStore & AsyncDisposable {
  const client = createS3Client(s3);
  // Results are not retried: a PUT that timed out could still arrive after its object was removed.
  const withoutRetries = createS3Client(s3, 1);
  const buckets = { inputs: s3.inputsBucket, results: s3.resultsBucket };
  return {
    putInput: (key, bytes, mime, sha256) =>
      put(client, { Bucket: buckets.inputs, Key: key, Body: bytes, ContentType: mime }, sha256),
    putResult: (key, bytes, mime) =>
      put(withoutRetries, {
        Bucket: buckets.results,
        Key: key,
        Body: bytes,
        ContentType: mime,
        // Bounded, because a cached copy outlives the deletion of its job by this time.
        CacheControl: `public, max-age=${s3.resultsMaxAgeS}`,
      }),
    getInput: (key) => get(client, buckets.inputs, key),
    remove: (refs) => remove(client, buckets, refs),
    list: (bucket, after, limit = BATCH) => list(client, buckets[bucket], after, limit),
    exists: ({ bucket, key }) => exists(client, buckets[bucket], key),
    mark: (bucket) => getMark(client, buckets[bucket]),
    setMark: (bucket, mark) =>
      put(client, { Bucket: buckets[bucket], Key: MARK_KEY, Body: mark, ContentType: 'text/plain' }),
    check: () => check(withoutRetries, Object.values(buckets)),
    resultUrl: (key) => publicUrl(s3.uploadUrl, key),
    async [Symbol.asyncDispose]() {
      client.destroy();
      withoutRetries.destroy();
    },
  };
}

async function put(client: S3Client, input: PutObjectCommandInput, sha256?: string): Promise<void> {
  const command = new PutObjectCommand(input);
  if (sha256 !== undefined) {
    // The signer takes the digest from this header instead of hashing the body a second time.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
        return next(args);
      },
      { step: 'build', name: 'knownDigest' },
    );
  }
  await guarded(`put ${input.Bucket}/${input.Key}`, () => client.send(command, deadline()));
}

async function get(client: S3Client, bucket: string, key: string): Promise<Buffer> {
  return guarded(`get ${bucket}/${key}`, async () => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), deadline());
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (error) {
      if (error instanceof NoSuchKey) throw new ImageMissing(key, { cause: error });
      throw error;
    }
  });
}

async function remove(
  client: S3Client,
  buckets: Record<ObjectRef['bucket'], string>,
  refs: readonly ObjectRef[],
): Promise<RemovalFailure[]> {
  const failed: RemovalFailure[] = [];
  for (const bucket of ['inputs', 'results'] as const) {
    const keys = refs.filter((ref) => ref.bucket === bucket).map((ref) => ref.key);
    for (let start = 0; start < keys.length; start += BATCH) {
      const reasons = await removeBatch(client, buckets[bucket], keys.slice(start, start + BATCH));
      failed.push(...reasons.map(({ key, reason }) => ({ ref: { bucket, key }, reason })));
    }
  }
  return failed;
}

async function removeBatch(
  client: S3Client,
  bucket: string,
  keys: string[],
): Promise<{ key: string; reason: string }[]> {
  try {
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
      }),
      deadline(),
    );
    return Errors.filter(({ Code }) => Code !== 'NoSuchKey').map(({ Key = '', Code, Message }) => ({
      key: Key,
      reason: `${Code}: ${Message}`,
    }));
  } catch (error) {
    if (keys.length === 1 || !isBadRequest(error)) return keys.map((key) => ({ key, reason: String(error) }));
    const middle = Math.ceil(keys.length / 2);
    const first = await removeBatch(client, bucket, keys.slice(0, middle));
    return [...first, ...(await removeBatch(client, bucket, keys.slice(middle)))];
  }
}

/** Whether the store rejected the whole request, which a single invalid key can cause. */
const isBadRequest = (error: unknown) =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 400;

async function list(client: S3Client, bucket: string, after: string | undefined, limit: number) {
  const page = await guarded(`list ${bucket}`, () =>
    client.send(
      new ListObjectsV2Command({ Bucket: bucket, StartAfter: after, MaxKeys: Math.min(limit, BATCH) }),
      deadline(),
    ),
  );
  const objects = (page.Contents ?? []).flatMap(({ Key, LastModified }) =>
    Key !== undefined && LastModified !== undefined ? [{ key: Key, lastModified: LastModified }] : [],
  );
  return {
    found: objects.filter(({ key }) => key !== MARK_KEY),
    next: page.IsTruncated ? objects.at(-1)?.key : undefined,
  };
}

/**
 * Lists the object, because the service may be allowed to list the bucket of results but not to
 * read from it.
 */
async function exists(client: S3Client, bucket: string, key: string): Promise<boolean> {
  const { Contents = [] } = await guarded(`list ${bucket}/${key}`, () =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key, MaxKeys: 1 }), deadline()),
  );
  return Contents[0]?.Key === key;
}

async function getMark(client: S3Client, bucket: string): Promise<string | undefined> {
  try {
    return String(await get(client, bucket, MARK_KEY));
  } catch (error) {
    if (error instanceof ImageMissing) return undefined;
    throw error;
  }
}

async function check(client: S3Client, buckets: readonly string[]): Promise<void> {
  const head = (Bucket: string) => client.send(new HeadBucketCommand({ Bucket }), deadline());
  await guarded('head of the buckets', () => Promise.all(buckets.map(head)));
}

async function guarded<T>(operation: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ImageMissing) throw error;
    throw new ImageStoreUnavailable(`The image store failed: ${operation}`, { cause: error });
  }
}
