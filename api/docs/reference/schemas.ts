import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument, OpenApiSchema } from '../openapi/types.ts';

/** One property of an object. */
export interface Field {
  name: string;
  required: boolean;
  schema: OpenApiSchema;
}

const REF = '#/components/schemas/';

/** @returns the name of the schema that is referred to, if it is a reference */
export function referredName({ $ref }: OpenApiSchema): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : undefined;
}

/** Replaces a reference by its schema. */
export function resolveSchema(document: OpenApiDocument, schema: OpenApiSchema): OpenApiSchema {
  const name = referredName(schema);
  return name === undefined ? schema : resolveSchema(document, document.components.schemas[name] ?? {});
}

/** The list that a keyword holds, such as the alternatives of `oneOf`; empty if the schema does not have it. */
export function schemasOf<T = OpenApiSchema>(schema: OpenApiSchema, keyword: string): readonly T[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

/**
 * The properties of an object, in the order of the schema. Of alternatives it has those of any, and those are required
 * that all require.
 */
export function fieldsOf(document: OpenApiDocument, schema: OpenApiSchema): Field[] {
  const object = resolveSchema(document, schema);
  const own = ownFields(object);
  const parts = schemasOf(object, 'allOf').map((part) => fieldsOf(document, part));
  const alternatives = ['oneOf', 'anyOf'].flatMap((keyword) =>
    mergeFields(schemasOf(object, keyword).map((part) => fieldsOf(document, part))),
  );
  const found = new Map<string, Field>();
  for (const field of [own, ...parts, alternatives].flat())
    if (!found.has(field.name)) found.set(field.name, field);
  return [...found.values()];
}

function ownFields(object: OpenApiSchema): Field[] {
  const required = new Set(schemasOf<string>(object, 'required'));
  return Object.entries((object.properties ?? {}) as Record<string, OpenApiSchema>).map(([name, schema]) => ({
    name,
    required: required.has(name),
    schema,
  }));
}

function mergeFields(alternatives: readonly Field[][]): Field[] {
  const names = new Set(alternatives.flatMap((fields) => fields.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = alternatives.flatMap((fields) => fields.filter((field) => field.name === name));
    const required = found.length === alternatives.length && found.every((field) => field.required);
    return { name, required, schema: mergeSchemas(found.map(({ schema }) => schema)) };
  });
}

/** What is common to the schemas of a property that differs between alternatives. */
function mergeSchemas([first = {}, ...others]: readonly OpenApiSchema[]): OpenApiSchema {
  if (others.every((schema) => isDeepStrictEqual(schema, first))) return first;
  const values = [first, ...others].map(valuesOf);
  const description = first.description === undefined ? {} : { description: first.description };
  if (values.some((list) => list.length === 0)) return { type: first.type ?? 'object', ...description };
  return { type: 'string', enum: [...new Set(values.flat())], ...description };
}

/** The values that a schema allows; empty if it does not list them. */
export function valuesOf(schema: OpenApiSchema): readonly string[] {
  return 'const' in schema ? [String(schema.const)] : schemasOf<string>(schema, 'enum');
}
