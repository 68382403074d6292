import { renderInline } from '../markdown.ts';
import type { OpenApiDocument, OpenApiSchema } from '../openapi/types.ts';
import { type Html, html } from '../pages/html.ts';
import { type Field, fieldsOf, resolveSchema, schemasOf } from './schemas.ts';
import { typeName } from './type-name.ts';

/** What the sections of the reference are rendered from. */
export interface ReferencePage {
  document: OpenApiDocument;
  /** Path of the docs as the browser sees it. */
  base: string;
  /** The names of the objects that the sections link to; grows while they are rendered. */
  named: Set<string>;
}

/** The fields of an object, or null if it has none. */
export const objectFields = (reference: ReferencePage, schema: OpenApiSchema): Html | null =>
  fieldList(reference, fieldsOf(reference.document, schema));

export function fieldList(reference: ReferencePage, fields: readonly Field[]): Html | null {
  if (fields.length === 0) return null;
  return html`<dl class="fields">${fields.map((field) => item(reference, field))}</dl>`;
}

function item({ document, named }: ReferencePage, { name, required, schema }: Field): Html {
  return html`
<div><dt><code>${name}</code> <span class="quiet">${typeName(document, schema, named)}</span>${required ? html` <span class="tag">required</span>` : null}</dt>
<dd>${renderInline(descriptionOf(document, schema))}</dd></div>`;
}

/** The description of a schema, or of its alternative to null. */
function descriptionOf(document: OpenApiDocument, schema: OpenApiSchema): string {
  const parts = [schema, ...schemasOf(schema, 'anyOf')].flatMap((part) => [
    part,
    resolveSchema(document, part),
  ]);
  return parts.find(({ description }) => description !== undefined)?.description ?? '';
}
