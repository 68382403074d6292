import {
  type BucketLocationConstraint,
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  HeadBucketCommand,
  PutBucketPolicyCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Config } from '../../process/config/config.ts';
import { createS3Client, deadline } from './client.ts';

/**
 * Creates the two buckets and sets their policies: inputs are private, results allow anonymous GET
 * of an object. Idempotent, also when run concurrently; a policy that was changed is reset. With
 * S3_MANAGE_BUCKETS=false it changes nothing, and fails if a bucket does not exist.
 * @param identify runs before a policy changes, and throws if the buckets are not those of this
 * installation
 */
export async function setupBuckets(s3: Config['s3'], identify = async () => {}): Promise<void> {
  const client = createS3Client(s3);
  try {
    await (s3.manageBuckets ? createBuckets(client, s3) : findBuckets(client, s3));
    await identify();
    if (s3.manageBuckets) await setPolicies(client, s3);
  } finally {
    client.destroy();
  }
}

async function createBuckets(client: S3Client, { inputsBucket, resultsBucket, region }: Config['s3']) {
  for (const bucket of [inputsBucket, resultsBucket]) await ensureBucket(client, bucket, region);
}

async function setPolicies(client: S3Client, { inputsBucket, resultsBucket }: Config['s3']) {
  await client.send(new DeleteBucketPolicyCommand({ Bucket: inputsBucket }), deadline());
  await allowPublicPolicy(client, resultsBucket);
  const policy = { Bucket: resultsBucket, Policy: readObjects(resultsBucket) };
  await client.send(new PutBucketPolicyCommand(policy), deadline());
}

async function findBuckets(client: S3Client, { inputsBucket, resultsBucket }: Config['s3']) {
  for (const Bucket of [inputsBucket, resultsBucket])
    await client.send(new HeadBucketCommand({ Bucket }), deadline()).catch((cause) => {
      // A HEAD has no body, so the error of the SDK does not name the bucket.
      throw new Error(`The bucket ${Bucket} cannot be reached, and S3_MANAGE_BUCKETS is false.`, { cause });
    });
}

async function ensureBucket(client: S3Client, bucket: string, region: string): Promise<void> {
  // S3 refuses us-east-1 as a location constraint, and only this region.
  const location =
    region === 'us-east-1'
      ? {}
      : { CreateBucketConfiguration: { LocationConstraint: region as BucketLocationConstraint } };
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket, ...location }), deadline());
  } catch (error) {
    if (!hasName(error, 'BucketAlreadyOwnedByYou', 'BucketAlreadyExists')) throw error;
    // Fails if the bucket belongs to another account.
    await client.send(new HeadBucketCommand({ Bucket: bucket }), deadline());
  }
}

/**
 * New AWS buckets reject public policies until this block is deleted; most other servers do not
 * support it.
 */
async function allowPublicPolicy(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }), deadline());
  } catch (error) {
    if (!(error instanceof S3ServiceException) || error.$response?.statusCode === 403) throw error;
  }
}

const readObjects = (bucket: string) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'AnyoneReadsAResult',
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:GetObject'],
        Resource: [`arn:aws:s3:::${bucket}/*`],
      },
    ],
  });

const hasName = (error: unknown, ...names: string[]) => error instanceof Error && names.includes(error.name);
