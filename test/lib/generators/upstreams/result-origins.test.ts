import { expect, test } from 'vitest';
import { createGenerators } from '../../../../lib/generators/registry.ts';
import { loadConfig } from '../../../../lib/process/config/config.ts';
import { sampleJpeg } from '../../../setup/images.ts';
import { REQUIRED } from '../../../setup/required.ts';
import { renderOf, serve, startUpstream } from './fake.ts';
import { FAL } from './fal.ts';

/** fal on one private host and its results on another one, as a renderer has configured them. */
async function startWithResults(env: (results: string) => Record<string, string>) {
  const image = await sampleJpeg(96, 64);
  const results = await serve(() => ({ status: 200, bytes: image }));
  const upstream = await startUpstream(FAL, results.origin);
  const variables = { ...REQUIRED, GENERATORS: 'fal', ...FAL.env(upstream.server.origin) };
  const generators = createGenerators(loadConfig({ ...variables, ...env(results.origin) }).generators);
  const fal = generators.find('fal');
  return {
    upstream,
    results,
    image,
    render: async () => fal?.render(await renderOf()),
    async [Symbol.asyncDispose]() {
      for (const each of [generators, upstream, results]) await each[Symbol.asyncDispose]();
    },
  };
}

test('a result on another private host is downloaded when the operator has named its origin', async () => {
  await using fake = await startWithResults((results) => ({ FAL_RESULT_ORIGINS: results }));
  expect(await fake.render()).toMatchObject({ bytes: fake.image });
  expect(fake.results.seen).toMatchObject([{ method: 'GET', path: '/i.jpg' }]);
  expect(fake.results.seen[0]?.headers).not.toHaveProperty('authorization');
});

test.each([
  ['that is not named', () => ({})],
  ['that is named for another generator', (results: string) => ({ BFL_RESULT_ORIGINS: results })],
])('a result on a private host %s is refused', async (_, env) => {
  await using fake = await startWithResults(env);
  await expect(fake.render()).rejects.toMatchObject({ failure: { kind: 'refused', reason: 'no_result' } });
  expect(fake.results.connections()).toBe(0);
});

test('the origin of results gets no other call', async () => {
  await using fake = await startWithResults((results) => ({ FAL_RESULT_ORIGINS: results }));
  const { submit } = fake.upstream.replies;
  if ('json' in submit)
    fake.upstream.replies.submit = {
      ...submit,
      json: { ...Object(submit.json), status_url: `${fake.results.origin}/status` },
    };
  await expect(fake.render()).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  expect(fake.results.connections()).toBe(0);
});
