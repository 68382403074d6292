import type { OpenApiDocument, OpenApiSchema } from '../openapi/types.ts';
import { type Html, html } from '../pages/html.ts';
import { referredName, resolveSchema, schemasOf, valuesOf } from './schemas.ts';

/** Longer lists of values and alternatives are counted. */
const MOST_LISTED = 12;

/** The type of a schema in words. Objects with a name are links to their section and are added to `named`. */
export function typeName(document: OpenApiDocument, schema: OpenApiSchema, named: Set<string>): Html {
  const name = referredName(schema);
  if (name !== undefined) return objectLink(document, name, named);
  const alternatives = [...schemasOf(schema, 'anyOf'), ...schemasOf(schema, 'oneOf')];
  if (alternatives.length > MOST_LISTED) return html`one of ${alternatives.length} objects`;
  if (alternatives.length > 0)
    return joined(alternatives.map((alternative) => typeName(document, alternative, named)));
  if (schema.type === 'array')
    return html`array of ${typeName(document, (schema.items ?? {}) as OpenApiSchema, named)}`;
  const values = valuesOf(schema);
  if (values.length > MOST_LISTED) return html`one of ${values.length} values`;
  if (values.length > 0) return joined(values.map((value) => html`<code>${value}</code>`));
  return html`${[schema.type ?? 'any'].flat().join(' or ')}${limits(schema)}`;
}

function objectLink(document: OpenApiDocument, name: string, named: Set<string>): Html {
  const target = resolveSchema(document, document.components.schemas[name] ?? {});
  if (target.type !== 'object' && !('oneOf' in target || 'anyOf' in target))
    return typeName(document, target, named);
  named.add(name);
  return html`<a href="#${name}">${name}</a>`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;
}

function limits({ format, minimum, maximum, maxLength }: OpenApiSchema): string {
  const range =
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : atLeast(Number(minimum));
  const length = maxLength === undefined ? '' : `at most ${maxLength} characters`;
  const parts = [format, range, length].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

const atLeast = (minimum: number) => (minimum > 0 ? `at least ${minimum}` : '');
