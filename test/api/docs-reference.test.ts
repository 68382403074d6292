import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../api/docs/openapi/types.ts';
import { html } from '../../api/docs/pages/html.ts';
import {
  curlSample,
  type DocumentedRoute,
  typescriptSample,
  variableOf,
} from '../../api/docs/reference/samples.ts';
import { fieldsOf } from '../../api/docs/reference/schemas.ts';
import type { ErrorEnvelope } from '../../lib/contract/schemas.ts';
import { IMAGE_URL, startFakeApi } from '../contract/fake-api.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let origin: string;
let document: OpenApiDocument;
let page: string;

beforeAll(async () => {
  api = await startFakeApi(readFileSync('docs/sample-room.jpg'));
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
  document = (await api.app.inject({ url: '/api/openapi.json' })).json();
  page = (await api.app.inject({ url: '/api/docs' })).body;
});
afterAll(() => api?.[Symbol.asyncDispose]());

const routesOf = ({ paths }: OpenApiDocument): DocumentedRoute[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
const sectionOf = (id: string) =>
  new RegExp(`<section class="entry[^"]*" id="${id}"[\\s\\S]*?</section>`).exec(page)?.[0] ?? '';

/** The variables that the samples of a path expect, by name. */
const variablesOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): [string, string] => [
    variableOf(path, name),
    name === 'slug' ? 'roof-replacement' : randomUUID(),
  ]);

/** What the service says to a request that is not what it expects. */
const MISTAKES = ['invalid_request', 'invalid_api_key', 'not_found', 'method_not_allowed'];
const servable = (sample: string) => sample.replace(/https:\/\/photos\.[^"']+/, IMAGE_URL);

describe('the reference', () => {
  test('has a section with all parameters, samples and errors for each operation', () => {
    for (const route of routesOf(document)) {
      const { operationId, summary = '', parameters = [] } = route.operation;
      const section = sectionOf(operationId);
      expect(section, operationId).toContain(html`${summary}`.markup);
      expect(section).toContain(`<code>${route.path}</code>`);
      for (const parameter of parameters)
        if ('name' in parameter) expect(section).toContain(`<code>${parameter.name}</code>`);
      expect(section).toContain('curl -sS');
      expect(section).toContain('await fetch(');
      expect(section).toContain('/api/docs/errors#rate_limited');
    }
  });

  test('has a section with all fields for each object that it links to', () => {
    const linked = [...page.matchAll(/href="#([A-Z]\w+)"/g)].map(([, name = '']) => name);
    const objects = [...new Set(linked)].filter((name) => name in document.components.schemas);
    expect(objects).toEqual(expect.arrayContaining(['Job', 'JobCreated', 'Warning', 'WebhookEvent']));
    for (const name of objects)
      for (const field of fieldsOf(document, { $ref: `#/components/schemas/${name}` }))
        expect(sectionOf(name), name).toContain(`<code>${field.name}</code>`);
  });

  test('has every anchor once', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('says what fields a job is created with, and not that they are objects', () => {
    const fields = fieldsOf(document, { $ref: '#/components/schemas/CreateJob' });
    expect(fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['tool', 'image_url', 'image_base64', 'options', 'webhook_url']),
    );
    expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(['tool']);
    expect(sectionOf('createJob')).toContain('href="/api/docs/tools"');
    expect(sectionOf('createJob')).toContain('Public https URL of a JPEG');
  });
});

describe('the samples of the reference', () => {
  test('in curl are requests that the service understands', async () => {
    for (const route of routesOf(document)) {
      const variables = { ...Object.fromEntries(variablesOf(route.path)), KEY: api.headers['x-api-key'] };
      const env = { ...variables, BASE: `${origin}/api` };
      const command = ['-c', servable(curlSample(route))];
      const { stdout } = await promisify(execFile)('/bin/sh', command, { env });
      const { error } = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as Partial<ErrorEnvelope>;
      expect(MISTAKES, `${route.operation.operationId}: ${error?.message}`).not.toContain(error?.code);
    }
  });

  test('in TypeScript do the same', async () => {
    for (const route of routesOf(document)) {
      const variables = variablesOf(route.path);
      const names = variables.map(([name]) =>
        name.toLowerCase().replace(/_(\w)/g, (_all, first) => first.toUpperCase()),
      );
      const code = `export const run = async (base, key, ${names}) => {${servable(typescriptSample(route))}}`;
      const { run } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
      const said = await run(
        `${origin}/api`,
        api.headers['x-api-key'],
        ...variables.map(([, value]) => value),
      )
        .then(() => '')
        .catch((error: Error) => error.message);
      expect(said).not.toMatch(new RegExp(`\\b(?:${MISTAKES.join('|')})\\b`));
    }
  });

  test('quote what a shell or TypeScript would not take as it is', () => {
    const value = { text: `it's "so"`, list: ['a'], nested: { key: 1 } };
    const route = {
      method: 'PUT',
      path: '/v1/webhook-deliveries/{id}',
      operation: {
        operationId: 'x',
        tags: [],
        responses: {},
        requestBody: { content: { 'application/json': { examples: { one: { value } } } } },
      },
    };
    expect(curlSample(route)).toContain(String.raw`"text": "it'\''s \"so\""`);
    expect(curlSample(route)).toMatch(
      /^curl -sS -X PUT [\s\S]*"\$BASE\/v1\/webhook-deliveries\/\$DELIVERY_ID"$/,
    );
    expect(typescriptSample(route)).toContain(String.raw`text: "it's \"so\""`);
    expect(typescriptSample(route)).toMatch(/v1\/webhook-deliveries\/\$\{deliveryId\}`/);
  });
});

describe('the fields of alternatives', () => {
  const alternative = (slug: string, required: string[]) => ({
    type: 'object',
    required,
    properties: { tool: { const: slug }, options: { $ref: `#/components/schemas/${slug}` } },
  });
  const merged = () =>
    fieldsOf(document, { oneOf: [alternative('a', ['tool']), alternative('b', ['tool', 'options'])] });

  test('have the values of all, and are required if all require them', () => {
    expect(merged()).toEqual([
      { name: 'tool', required: true, schema: { type: 'string', enum: ['a', 'b'] } },
      { name: 'options', required: false, schema: { type: 'object' } },
    ]);
  });
});
