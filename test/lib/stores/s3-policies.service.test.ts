import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DeleteBucketPolicyCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markOf } from '../../../lib/domain/installation.ts';
import { type Config, loadConfig } from '../../../lib/process/config/config.ts';
import { ImageStoreUnavailable, MARK_KEY } from '../../../lib/stores/image-store.ts';
import { createS3Client } from '../../../lib/stores/s3/client.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';
import { setupBuckets } from '../../../lib/stores/s3/setup.ts';
import { setupImages } from '../../../operator/setup/steps.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { closers } from '../../setup/closers.ts';
import { REQUIRED } from '../../setup/required.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { type GatewayWithUsers, startGatewayWithUsers } from './gateway-with-users.ts';

const Policy = Type.Object({
  Version: Type.Literal('2012-10-17'),
  Statement: Type.Array(
    Type.Object({
      Sid: Type.String(),
      Effect: Type.Literal('Allow'),
      Action: Type.Array(Type.String()),
      Resource: Type.Array(Type.String()),
    }),
  ),
});
type Policy = Type.Static<typeof Policy>;

const read = (name: string): Policy =>
  Value.Parse(Policy, JSON.parse(readFileSync(`deploy/policies/${name}.json`, 'utf8')));
const policies = { setup: read('s3-setup'), service: read('s3-service') };

/** Every permission of a policy by itself, and the policy without it. */
function permissions({ Version, Statement }: Policy) {
  const single = Statement.flatMap(({ Effect, Action, Resource }) =>
    Action.flatMap((action) => Resource.map((resource) => ({ Effect, Action: action, Resource: resource }))),
  );
  return single.map((omitted) => ({
    name: `${omitted.Action} on ${omitted.Resource}`,
    rest: { Version, Statement: single.filter((other) => other !== omitted) },
  }));
}

const folder = folderOfFile();
const opened = closers();
let gateway: GatewayWithUsers;
let configOf: Record<keyof typeof policies, Config['s3']>;

beforeAll(async () => {
  gateway = opened.use(await startGatewayWithUsers(folder));
  const config = async (user: keyof typeof policies) => {
    const { accessKeyId, secretAccessKey } = await gateway.createUser(user);
    await gateway.setPolicy(user, policies[user]);
    const keys = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
    return loadConfig({ ...REQUIRED, S3_ENDPOINT: gateway.endpoint, ...keys }).s3;
  };
  configOf = { setup: await config('setup'), service: await config('service') };
});
afterAll(() => opened.close());

/** MongoDB of the installation. */
const stores = createFakeStores();
const setup = () => setupImages(configOf.setup, stores);

async function asRoot(work: (client: S3Client, s3: Config['s3']) => Promise<unknown>): Promise<void> {
  const s3 = { ...configOf.service, ...gateway.root };
  const client = createS3Client(s3);
  await work(client, s3);
  client.destroy();
}

/** As behind a CDN: only users with a policy may read an object. */
const makeResultsPrivate = () =>
  asRoot((client, { resultsBucket }) =>
    client.send(new DeleteBucketPolicyCommand({ Bucket: resultsBucket })),
  );

/** As before the first setup, whatever the tests before have left. */
const emptyBuckets = () =>
  asRoot(async (_client, s3) => {
    await using store = createImageStore(s3);
    for (const bucket of ['inputs', 'results'] as const) {
      const { found } = await store.list(bucket);
      await store.remove([...found, { key: MARK_KEY }].map(({ key }) => ({ bucket, key })));
    }
  });

/** Whether the store has refused a request, also where the error is wrapped. */
function isRefusal(error: unknown): boolean {
  const refused = error instanceof ImageStoreUnavailable ? error.cause : error;
  return refused instanceof S3ServiceException && refused.$metadata.httpStatusCode === 403;
}

/**
 * Everything that the API, the worker and the renderer do with the store. Fails at the first
 * refusal.
 */
async function useStore(s3: Config['s3']): Promise<void> {
  await using store = createImageStore(s3);
  await setupBuckets({ ...s3, manageBuckets: false });
  const id = (await stores.settings.installation()) ?? '';
  for (const bucket of ['inputs', 'results'] as const)
    expect(await store.mark(bucket)).toBe(markOf(id, bucket));
  const key = `${randomUUID()}/a.png`;
  await store.putInput(key, Buffer.from('an image'), 'image/png');
  await store.putResult(key, Buffer.from('an image'), 'image/png');
  expect(String(await store.getInput(key))).toBe('an image');
  for (const bucket of ['inputs', 'results'] as const) {
    const { found } = await store.list(bucket);
    expect(found).toContainEqual(expect.objectContaining({ key }));
    expect(await store.remove([{ bucket, key }])).toEqual([]);
  }
}

describe("the policies in deploy/policies, applied to the gateway's users,", () => {
  test('suffice for setup, twice, and then for the services', async () => {
    await setup();
    await setup();
    await useStore(configOf.service);
  });

  test('let the services not change a bucket, and setup not read an image', async () => {
    await expect(setupBuckets(configOf.service)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(useStore(configOf.setup)).rejects.toThrow('put inputs/');
  });

  test.each(permissions(policies.service))('the services need $name', async ({ rest }) => {
    await makeResultsPrivate();
    await gateway.setPolicy('service', rest);
    await expect(useStore(configOf.service)).rejects.toThrow();
  });

  // The gateway has no public access block, so that permission cannot be missed here.
  const enforced = permissions(policies.setup).filter(({ name }) => !name.includes('PublicAccessBlock'));
  test.each(enforced)('setup needs $name', async ({ rest }) => {
    await emptyBuckets();
    await makeResultsPrivate();
    await gateway.setPolicy('setup', rest);
    await expect(setup()).rejects.toSatisfy(isRefusal);
  });
});
