import '../../setup/context.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../dev/process/command.ts';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { createS3Client } from '../../../lib/stores/s3/client.ts';
import { setupBuckets } from '../../../lib/stores/s3/setup.ts';
import { REQUIRED } from '../../setup/required.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, 'programs', 'setup-buckets.ts');
const { signal } = new AbortController();

/** A server that answers everything with `body`. @returns its URL and the requests it got */
async function startIssuer(body: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${text}`.trim());
      response.setHeader('Content-Type', body.startsWith('{') ? 'application/json' : 'text/xml');
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/**
 * Creates buckets in another process without keys, whose only credentials are what `aws` leads to.
 */
async function createBuckets(aws: Record<string, string>): Promise<string> {
  const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, ...rest } = inject('env');
  const id = randomUUID().slice(0, 8);
  const env = {
    ...rest,
    PATH: environment().PATH,
    HOME: temporaryFolder(),
    S3_INPUTS_BUCKET: `inputs-${id}`,
    S3_RESULTS_BUCKET: `results-${id}`,
    AWS_EC2_METADATA_DISABLED: 'true',
    ...aws,
  };
  return runCommand(process.execPath, ['--import', 'tsx', PROGRAM], { env, signal });
}

const keys = () => {
  const { S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = inject('env');
  return { id, secret, expiration: new Date(Date.now() + 3_600_000).toISOString() };
};

describe('without S3 keys, the credentials are those', () => {
  test('of the pod or the task, from its credentials endpoint', async () => {
    const { id, secret, expiration } = keys();
    const issuer = await startIssuer(
      JSON.stringify({ AccessKeyId: id, SecretAccessKey: secret, Token: '', Expiration: expiration }),
    );
    await createBuckets({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${issuer.url}/role` });
    expect(issuer.requests).toContain('GET /role');
  });

  test('of the role that the token of a service account may assume', async () => {
    const { id, secret, expiration } = keys();
    const issuer = await startIssuer(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult><Credentials>
          <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>
          <SessionToken></SessionToken><Expiration>${expiration}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>`,
    );
    const tokenFile = join(temporaryFolder(), 'token');
    writeFileSync(tokenFile, 'the-token-of-the-pod');
    await createBuckets({
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/image-job-api',
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
      AWS_ENDPOINT_URL_STS: issuer.url,
      AWS_REGION: 'us-east-1',
    });
    expect(issuer.requests.join()).toContain('WebIdentityToken=the-token-of-the-pod');
  });

  test('of nobody, which is an error', async () => {
    await expect(createBuckets({})).rejects.toThrow(/credentials/i);
  });
});

test('the name of the bucket goes into the host when S3_PATH_STYLE is false', async () => {
  const { s3 } = loadConfig({ ...REQUIRED, S3_PATH_STYLE: 'false', S3_ENDPOINT: 'https://s3.example' });
  const client = createS3Client(s3);
  expect(client).toBeInstanceOf(S3Client);
  expect(client.config.forcePathStyle).toBe(false);
  client.destroy();
});

test('setup names a bucket that it must not create and does not find', async () => {
  const env = { ...inject('env'), S3_MANAGE_BUCKETS: 'false', S3_INPUTS_BUCKET: `inputs-${randomUUID()}` };
  const { s3 } = loadConfig(env);
  await expect(setupBuckets(s3)).rejects.toThrow(`The bucket ${s3.inputsBucket} cannot be reached`);
});
