import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobName, optionsName } from '../../api/docs/openapi/tools.ts';
import type { OpenApiDocument, OpenApiSchema } from '../../api/docs/openapi/types.ts';
import { describeTools, describeToolsWithOptions } from '../../lib/catalog/catalog.ts';
import { type Service, startService } from '../setup/service.ts';
import { problems, readDocument } from './document.ts';

const SLUGS = describeTools(new Map()).map(({ slug }) => slug);
const URL = 'https://photos.example.com/front.jpg';

let service: Service;
let document: OpenApiDocument;

beforeAll(async () => {
  service = await startService();
  document = await readDocument(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const isValid = (body: object) =>
  problems(document, { $ref: '#/components/schemas/CreateJob' }, body).length === 0;

/** The values of a keyword anywhere in a part of the document, but for examples. */
function valuesOf(keyword: string, part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, inner]) => {
    if (key === 'examples') return [];
    return [...(key === keyword ? [inner] : []), ...valuesOf(keyword, inner)];
  });
}

test('a request is valid with exactly one image, sent in either way', () => {
  const of = (images: object) => isValid({ tool: 'declutter', ...images });
  expect([of({ image_url: URL }), of({ image_base64: 'AAAA' })]).toEqual([true, true]);
  expect([of({}), of({ image_url: URL, image_base64: 'AAAA' })]).toEqual([false, false]);
});

test('a request with a wrong webhook_url, or with options that are no object, is not valid', () => {
  for (const tool of ['virtual-staging', 'pool']) {
    expect(isValid({ tool, image_url: URL, options: { style: 'modern' }, webhook_url: 1 })).toBe(false);
    expect(isValid({ tool, image_url: URL, options: 'style' })).toBe(false);
  }
});

test.each(SLUGS)('the requests for %s are complete objects with every field', (slug) => {
  const { oneOf } = document.components.schemas[jobName(slug)] as { oneOf: OpenApiSchema[] };
  expect(oneOf).toHaveLength(2);
  for (const [n, image] of ['image_url', 'image_base64'].entries()) {
    const { type, properties, required } = oneOf[n] ?? {};
    expect(type).toBe('object');
    expect(Object.keys(properties as object)).toEqual(['tool', image, 'options', 'webhook_url']);
    expect(required).toEqual(['tool', image, ...(slug === 'virtual-staging' ? ['options'] : [])]);
  }
});

test.each(describeToolsWithOptions(new Map()))('the options of $slug are those of GET /v1/tools', (tool) => {
  const { properties } = document.components.schemas[optionsName(tool.slug)] as { properties: object };
  expect(Object.keys(properties)).toEqual(Object.keys(tool.options.properties as object));
});

test('no schema has a default, which generators of clients take for a value that has to be sent', () => {
  const { paths, components, webhooks } = document;
  const schemas = [...valuesOf('schema', [paths, webhooks]), components.schemas];
  expect(valuesOf('default', schemas)).toEqual([]);
  expect(document.components.schemas.Tier?.description).toContain('Default: `guided`.');
});

test('every alternative is a schema of its own, which generators of clients need to give it a type', () => {
  const alternatives = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => valuesOf(keyword, document)).flat();
  expect(alternatives.length).toBeGreaterThan(3 * SLUGS.length);
  for (const alternative of alternatives)
    expect(Object.keys(alternative as object).some((key) => ['type', '$ref', 'oneOf'].includes(key))).toBe(
      true,
    );
});

test('values that several schemas share have a name', () => {
  const named = ['ErrorCode', 'FailureReason', 'JobStatus', 'LedgerKind', 'Resolution', 'Tier'];
  for (const name of named)
    expect(document.components.schemas[name]).toMatchObject({ enum: expect.any(Array) });
});
