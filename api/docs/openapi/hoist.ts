import { isDeepStrictEqual } from 'node:util';
import type { OpenApiSchema } from './types.ts';

/**
 * Moves every schema with a title into `schemas`, by title, and replaces it with a reference, because the routes inline
 * their schemas.
 * @returns a copy of the value with references
 * @throws Error when two different schemas have the same title
 */
export function hoistSchemas(value: unknown, schemas: Record<string, OpenApiSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistSchemas(item, schemas));
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(
    // An example may itself be a schema, such as the options of a tool.
    Object.entries(value).map(([key, part]) => [
      key,
      key === 'examples' ? part : hoistSchemas(part, schemas),
    ]),
  );
  return isTitledSchema(copy) ? replace(copy, schemas) : copy;
}

function replace(schema: OpenApiSchema & { title: string }, schemas: Record<string, OpenApiSchema>) {
  const { title } = schema;
  const known = schemas[title];
  if (known !== undefined && !isDeepStrictEqual(known, schema))
    throw new Error(`Two different schemas are titled ${title}.`);
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isTitledSchema = (value: OpenApiSchema): value is OpenApiSchema & { title: string } =>
  typeof value.title === 'string' && ('type' in value || 'anyOf' in value);
