import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../api/app.ts';
import { hoistSchemas } from '../../api/docs/openapi/hoist.ts';
import { optionsName } from '../../api/docs/openapi/tools.ts';
import type { OpenApiDocument, OpenApiSchema } from '../../api/docs/openapi/types.ts';
import { describeTools, findTool, planRender } from '../../lib/catalog/catalog.ts';
import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import type { ErrorEnvelope } from '../../lib/contract/schemas.ts';
import { type Service, startService } from '../setup/service.ts';
import { mediaTypesOf, operationsOf, problems, readDocument, refsOf, resolve } from './document.ts';

let service: Service;
let document: OpenApiDocument;

beforeAll(async () => {
  service = await startService({ env: { PUBLIC_URL: 'https://api.example.com/api' } });
  document = await readDocument(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** The method and path of each operation, recorded while registering the routes. */
async function registeredRoutes(): Promise<string[]> {
  const bare = fastify({ exposeHeadRoutes: false }).withTypeProvider<TypeBoxTypeProvider>();
  bare.setValidatorCompiler(TypeBoxValidatorCompiler);
  const found: string[] = [];
  bare.addHook('onRoute', ({ method, url }) => {
    found.push(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  });
  for (const route of ROUTES) route(bare, service.deps);
  await bare.close();
  return found;
}

/** Number of schemas with an enum, and number of those with the type string. */
function enumsOf(part: unknown): { values: number; typed: number } {
  const found = { values: 0, typed: 0 };
  JSON.stringify(part, (_key, value) => {
    if (Array.isArray(value?.enum)) {
      found.values += 1;
      if (value.type === 'string') found.typed += 1;
    }
    return value;
  });
  return found;
}

describe('the OpenAPI document', () => {
  test('is version 3.1 and names the public URL, the license and how to authenticate', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://api.example.com/api' }]);
    expect(document.info).toMatchObject({ version: '1.0.0', license: { identifier: 'Apache-2.0' } });
    expect(document.security).toEqual([{ ApiKey: [] }]);
    expect(document.components.securitySchemes.ApiKey).toMatchObject({ in: 'header', name: 'X-Api-Key' });
  });

  test('has exactly the routes of version 1', async () => {
    const documented = operationsOf(document).map(({ name }) => name);
    expect(documented.sort()).toEqual((await registeredRoutes()).sort());
  });

  test('has a type in every enum, for client generators', () => {
    const { values, typed } = enumsOf(document);
    expect(values).toBeGreaterThan(100);
    expect(typed).toBe(values);
  });

  test('describes each operation, under a declared tag', () => {
    const tags = (document.tags ?? []).map(({ name }) => name);
    const operations = operationsOf(document).map(({ operation }) => operation);
    for (const { operationId, summary, description, tags: used } of operations) {
      expect({ operationId, summary, description }).toEqual({
        operationId: expect.stringMatching(/^\w+$/),
        summary: expect.any(String),
        description: expect.any(String),
      });
      expect(tags).toEqual(expect.arrayContaining(used));
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test('has no broken reference and no unused component', () => {
    const refs = new Set(refsOf(document));
    expect([...refs].filter((ref) => resolve(document, ref) === undefined)).toEqual([]);
    const { securitySchemes: _named, ...referred } = document.components;
    const components = Object.entries(referred).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    expect(components.filter((component) => !refs.has(component))).toEqual([]);
  });

  test('has examples that are valid under their schemas', () => {
    const all = mediaTypesOf(document).flatMap(({ where, media }) =>
      Object.entries(media.examples).map(([name, { value }]) => ({
        where: `${where} ${name}`,
        problems: problems(document, media.schema, value),
      })),
    );
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(({ problems: found }) => found.length > 0)).toEqual([]);
  });

  test('has an example for every request and response body', () => {
    for (const { name, operation } of operationsOf(document)) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        part !== undefined && 'content' in part ? Object.values(part.content ?? {}) : [],
      );
      for (const media of bodies) expect(media.examples, name).toBeDefined();
    }
  });

  test('has both schemas of the creation response', () => {
    const created = document.paths['/v1/jobs']?.post?.responses['201'];
    const shapes = created !== undefined && 'content' in created ? created.content : undefined;
    expect(refsOf(shapes?.['application/json']?.schema)).toEqual([
      '#/components/schemas/JobReplayed',
      '#/components/schemas/JobCreated',
    ]);
  });

  test('describes the webhooks with their headers and bodies', () => {
    const webhook = document.webhooks.jobEnded?.post as { parameters: { name: string }[] };
    expect(webhook.parameters.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(refsOf(webhook)).toContain('#/components/schemas/WebhookEvent');
    expect(refsOf(document.webhooks.test)).toContain('#/components/schemas/TestEvent');
  });
});

describe('the errors in the document', () => {
  const errorExamples = () =>
    mediaTypesOf({ paths: document.paths, responses: document.components.responses }).flatMap(
      ({ where, media }) =>
        Object.entries(media.examples)
          .filter(([name]) => name in ERRORS)
          .map(([name, { value }]) => ({ where, code: name as ErrorCode, value: value as ErrorEnvelope })),
    );

  test('have an example under their status, with a link to their anchor', () => {
    for (const { where, code, value } of errorExamples()) {
      if (code !== 'method_not_allowed') expect(where).toContain(`/responses/${ERRORS[code].status}/`);
      expect(value.error).toMatchObject({
        code,
        doc_url: `https://api.example.com/api/docs/errors#${code}`,
      });
    }
  });

  test('are all of the table except the two that no operation returns', () => {
    const codes = new Set(errorExamples().map(({ code }) => code));
    const missing = Object.keys(ERRORS).filter((code) => !codes.has(code as ErrorCode));
    expect(missing).toEqual(expect.arrayContaining(['generation_failed', 'not_found']));
    expect(missing).toHaveLength(2);
  });

  test('have the headers of their status', () => {
    for (const { operation } of operationsOf(document)) {
      const response = operation.responses['429'];
      const headers =
        response !== undefined && 'headers' in response ? Object.keys(response.headers ?? {}) : [];
      expect(headers).toEqual(expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'Retry-After']));
    }
    expect(Object.keys(document.components.responses.MethodNotAllowed?.headers ?? {})).toContain('Allow');
  });
});

describe('the options in the document', () => {
  test('are defined for every tool, by its slug', () => {
    const alternatives = document.components.schemas.CreateJob?.oneOf as OpenApiSchema[];
    expect(alternatives.map(({ title }) => title)).toEqual(describeTools(new Map()).map(({ slug }) => slug));
    const body = (tool: string, options: object) =>
      problems(document, { $ref: '#/components/schemas/CreateJob' }, { tool, image_base64: '', options });
    expect(body('roof-replacement', { material: 'slate' })).toEqual([]);
    expect(body('roof-replacement', { material: 'straw' })).not.toEqual([]);
    expect(body('virtual-staging', { style: 'modern', resolution: '4K' })).not.toEqual([]);
    expect(body('no-such-tool', {})).not.toEqual([]);
  });

  test.each(describeTools(new Map()).map(({ slug }) => slug))(
    'of %s list only values that the service accepts',
    (slug) => {
      const tool = findTool(slug);
      if (tool === undefined) throw new Error(`no ${slug}`);
      const { properties, required = [] } = document.components.schemas[optionsName(slug)] as {
        properties: Record<string, { enum?: string[]; default?: string }>;
        required?: string[];
      };
      const base = Object.fromEntries(required.map((key) => [key, properties[key]?.enum?.[0]]));
      for (const [key, { enum: values = [] }] of Object.entries(properties))
        for (const value of values) {
          const text = value === 'custom' ? { customPrompt: 'As it is.' } : {};
          const planned = planRender(tool, { ...base, ...text, [key]: value });
          expect(planned, `${key}: ${value}`).toMatchObject({ ok: true });
        }
    },
  );
});

describe('titled schemas', () => {
  test('are moved to the components and referenced', () => {
    const inner = { title: 'Inner', type: 'string' };
    const schemas = {};
    const value = hoistSchemas([inner, { title: 'Outer', type: 'array', items: inner }], schemas);
    expect(value).toEqual([{ $ref: '#/components/schemas/Inner' }, { $ref: '#/components/schemas/Outer' }]);
    expect(schemas).toEqual({
      Inner: inner,
      Outer: { title: 'Outer', type: 'array', items: { $ref: '#/components/schemas/Inner' } },
    });
  });

  test('must not have the same title if they differ', () => {
    const two = [
      { title: 'Same', type: 'string' },
      { title: 'Same', type: 'integer' },
    ];
    expect(() => hoistSchemas(two, {})).toThrow('Same');
  });
});
