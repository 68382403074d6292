import { type Static, Type } from 'typebox';
import { Count, Flag, Optional, Text, Url } from './variables.ts';
import { withoutSlash } from './without-slash.ts';

/** Environment variables of the store of images. */
export const S3_ENVIRONMENT = {
  S3_ENDPOINT: Url('Endpoint of the S3-compatible store.', 'http://127.0.0.1:7070'),
  S3_REGION: Text('Region in the request signatures.', 'us-east-1'),
  S3_PATH_STYLE: Flag('Name the bucket in the path of a request, not in its host.', true),
  S3_ACCESS_KEY_ID: Optional(
    'Access key of the store; without both keys, the credential chain of the AWS SDK is used.',
  ),
  S3_SECRET_ACCESS_KEY: Optional('Secret key of the store.'),
  S3_MANAGE_BUCKETS: Flag(
    'Whether setup creates the buckets and sets their policies; otherwise it checks that they exist.',
    true,
  ),
  S3_INPUTS_BUCKET: Text('Private bucket of input images.', 'inputs'),
  S3_RESULTS_BUCKET: Text('Bucket of results: anonymous reads of objects, no anonymous listing.', 'results'),
  UPLOAD_URL: Url(
    'Public base URL of results; must serve the results bucket.',
    'http://127.0.0.1:7070/results',
  ),
  RESULTS_MAX_AGE_S: Count(
    'Seconds that browsers and CDNs may cache a result (Cache-Control max-age).',
    86_400,
    0,
  ),
};

const S3 = Type.Object(S3_ENVIRONMENT);

export const groupS3 = (env: Static<typeof S3>) =>
  Object.freeze({
    endpoint: withoutSlash(env.S3_ENDPOINT),
    region: env.S3_REGION,
    pathStyle: env.S3_PATH_STYLE,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
    manageBuckets: env.S3_MANAGE_BUCKETS,
    inputsBucket: env.S3_INPUTS_BUCKET,
    resultsBucket: env.S3_RESULTS_BUCKET,
    uploadUrl: withoutSlash(env.UPLOAD_URL),
    resultsMaxAgeS: env.RESULTS_MAX_AGE_S,
  });
