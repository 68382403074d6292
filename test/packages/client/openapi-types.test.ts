import { expect, test } from 'vitest';
import { openApiTypes } from '../../../dev/client-tools/openapi-types.ts';
import { startFakeApi } from '../../contract/fake-api.ts';

test("the types of the client are those of the service's OpenAPI document", async ({ signal }) => {
  await using api = await startFakeApi(Buffer.from(''));
  const document = (await api.app.inject({ url: '/api/openapi.json' })).json();
  const types = await openApiTypes(document, signal);
  await expect(types).toMatchFileSnapshot('../../../packages/client/src/openapi.ts');
});
