import { beforeAll, expect, test } from 'vitest';
import { hoistSchemas } from '../../api/docs/openapi/hoist.ts';
import type { OpenApiDocument } from '../../api/docs/openapi/types.ts';
import { readDocument, refsOf } from './document.ts';

let document: OpenApiDocument;

beforeAll(async () => {
  document = await readDocument();
});

function examplesOf(path: string, method: string, status: string) {
  const response = document.paths[path]?.[method]?.responses[status];
  const content = response !== undefined && 'content' in response ? response.content : undefined;
  return content?.['application/json']?.examples ?? {};
}

test('the document describes the dry run with its parameter and its response', () => {
  const { parameters, responses } = document.paths['/v1/jobs']?.post ?? {};
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'dry_run', in: 'query', required: false }),
  );
  expect(refsOf(responses?.['200'])).toContain('#/components/schemas/DryRunResult');
  expect(responses?.['200']).toMatchObject({ description: expect.stringContaining('dry run') });
});

test('the document describes a tool with an example whose options are a schema', () => {
  const { tool } = examplesOf('/v1/tools/{slug}', 'get', '200');
  expect(tool).toMatchObject({ value: { options: { properties: { material: { type: 'string' } } } } });
  expect(Object.keys(document.components.schemas).filter((name) => !/^\w+$/.test(name))).toEqual([]);
});

test('the document has the error of an unknown tool in the words of its operation', () => {
  const { unknown_tool } = examplesOf('/v1/tools/{slug}', 'get', '404');
  expect(unknown_tool).toMatchObject({
    value: { error: { code: 'not_found', message: expect.stringContaining('no such tool') } },
  });
});

test('schemas in examples are not moved to the components', () => {
  const value = { examples: { one: { value: { title: 'Inner', type: 'string' } } } };
  const schemas = {};
  expect([hoistSchemas(value, schemas), schemas]).toEqual([value, {}]);
});
