import Schema from 'typebox/schema';
import type { MediaType, OpenApiDocument, Operation } from '../../api/docs/openapi/types.ts';
import type { Service } from '../setup/service.ts';

export async function readDocument({ app }: Service): Promise<OpenApiDocument> {
  return (await app.inject({ url: '/api/openapi.json' })).json<OpenApiDocument>();
}

export function operationsOf({ paths }: OpenApiDocument): { name: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Every part of the document that has a schema and examples, with where it is. */
export function mediaTypesOf(part: unknown, where = '#'): { where: string; media: MediaType }[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'schema' in part && 'examples' in part ? [{ where, media: part as MediaType }] : [];
  return [...own, ...Object.entries(part).flatMap(([key, inner]) => mediaTypesOf(inner, `${where}/${key}`))];
}

export function refsOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = '$ref' in part ? [String(part.$ref)] : [];
  return [...own, ...Object.values(part).flatMap(refsOf)];
}

export function resolve(document: object, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

/** What is wrong with a value under a schema of the document; nothing when it is valid. */
export function problems({ components }: OpenApiDocument, schema: object, value: unknown): unknown[] {
  const [valid, errors] = Schema.Compile({ components, ...schema }).Errors(value);
  return valid ? [] : errors;
}
