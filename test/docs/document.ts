import Schema from 'typebox/schema';
import type {
  Examples,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '../../api/docs/openapi/types.ts';
import { startFakeApi } from '../contract/fake-api.ts';

interface MediaType {
  schema: OpenApiSchema;
  examples: Examples;
}

/** The OpenAPI document of an API at https://api.example.com/api. */
export async function readDocument(): Promise<OpenApiDocument> {
  await using api = await startFakeApi(undefined, {}, { PUBLIC_URL: 'https://api.example.com/api' });
  return (await api.app.inject({ url: '/api/openapi.json' })).json<OpenApiDocument>();
}

export function operationsOf({ paths }: OpenApiDocument): { name: string; operation: OpenApiOperation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Every media type of the document that has examples, with its path. */
export function mediaTypesOf(part: unknown, where = '#'): { where: string; media: MediaType }[] {
  if (typeof part !== 'object' || part === null) return [];
  const found = 'schema' in part && 'examples' in part ? [{ where, media: part as MediaType }] : [];
  return [
    ...found,
    ...Object.entries(part).flatMap(([key, inner]) => mediaTypesOf(inner, `${where}/${key}`)),
  ];
}

export function refsOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const found = '$ref' in part ? [String(part.$ref)] : [];
  return [...found, ...Object.values(part).flatMap(refsOf)];
}

export function resolve(document: object, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

/** The validation errors of a value under a schema of the document; empty if it is valid. */
export function problems({ components }: OpenApiDocument, schema: object, value: unknown): unknown[] {
  const [valid, errors] = Schema.Compile({ components, ...schema }).Errors(value);
  return valid ? [] : errors;
}
