import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from './examples.ts';
import { addForm } from './form.ts';
import { HEADER_PARAMETERS, PARAMETERS, RESPONSE_HEADERS, SECURITY_SCHEMES } from './headers.ts';
import { hoistSchemas } from './hoist.ts';
import { documentBase } from './info.ts';
import { completeResponses, methodNotAllowed } from './responses.ts';
import { jobSchemas, optionsSchemas, toolAlternatives } from './tools.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from './types.ts';
import { webhooks } from './webhook.ts';

/** Options of @fastify/swagger. Paths are relative to the public URL, which ends with the prefix. */
export function swaggerOptions(publicUrl: string, prefix: string): FastifyDynamicSwaggerOptions {
  const { openapi, ...base } = documentBase(publicUrl);
  return {
    openapi: { openapi, ...base, components: { securitySchemes: SECURITY_SCHEMES } },
    stripBasePath: false,
    transform: ({ schema, url }) => ({
      schema,
      url: url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url,
    }),
  };
}

/**
 * Completes the document that @fastify/swagger generates from the routes: shared schemas by name, examples, headers,
 * the options of every tool, and the webhooks.
 */
export function finishDocument(generated: object, publicUrl: string): OpenApiDocument {
  const document = JSON.parse(
    JSON.stringify({ ...generated, webhooks: webhooks(publicUrl) }),
  ) as OpenApiDocument;
  for (const [path, operation] of operationsOf(document)) {
    operation.tags = [tagOf(path)];
    addForm(operation);
    completeOperation(operation, publicUrl);
  }
  const schemas: Record<string, OpenApiSchema> = {};
  document.paths = hoistSchemas(document.paths, schemas) as OpenApiDocument['paths'];
  document.webhooks = hoistSchemas(document.webhooks, schemas) as OpenApiDocument['webhooks'];
  describeTools(schemas);
  for (const [, operation] of operationsOf(document)) addRequestExamples(operation);
  document.components = {
    schemas,
    headers: RESPONSE_HEADERS,
    parameters: PARAMETERS,
    responses: {
      MethodNotAllowed: methodNotAllowed(publicUrl, { $ref: '#/components/schemas/Error' }),
    },
    securitySchemes: SECURITY_SCHEMES,
  };
  return document;
}

const operationsOf = ({ paths }: OpenApiDocument): [string, OpenApiOperation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation): [string, OpenApiOperation] => [path, operation]),
  );

/** The resource of a path: `/v1/jobs/{id}` -> `Jobs`, and one for all `/v1/webhook-*`. */
function tagOf(path: string): string {
  const resource = (path.split('/')[2] ?? '').replace(/^webhook-.*/, 'webhooks');
  return resource.charAt(0).toUpperCase() + resource.slice(1);
}

function completeOperation(operation: OpenApiOperation, publicUrl: string): void {
  completeResponses(operation, publicUrl, RESPONSE_EXAMPLES[operation.operationId] ?? {});
  const declared = (operation.parameters ?? []).map((parameter) =>
    'name' in parameter && parameter.in === 'header'
      ? { ...parameter, ...HEADER_PARAMETERS[parameter.name] }
      : parameter,
  );
  operation.parameters = [...declared, { $ref: '#/components/parameters/RequestId' }];
}

function addRequestExamples(operation: OpenApiOperation): void {
  const media = operation.requestBody?.content['application/json'];
  const examples = REQUEST_EXAMPLES[operation.operationId];
  if (media !== undefined && examples !== undefined) media.examples = examples;
}

/** Ties `tool` and `options` to the catalogue; the schema of the route accepts any string and any object. */
function describeTools(schemas: Record<string, OpenApiSchema>): void {
  const body = schemas.CreateJob;
  if (body === undefined) return;
  Object.assign(schemas, optionsSchemas(), jobSchemas(body.properties as Record<string, OpenApiSchema>), {
    CreateJob: {
      title: 'CreateJob',
      description:
        'Send the image as exactly one of `image_url` and `image_base64`. Fields that are not listed are ignored.',
      oneOf: toolAlternatives(),
    },
  });
}
