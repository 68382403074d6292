import type { OpenAPIV3_1 } from 'openapi-types';
import { renderInline } from '../markdown.ts';
import type { OpenApiDocument, Schema } from '../openapi/types.ts';
import { type Html, html } from '../pages/html.ts';
import { curlSample, type Route, typescriptSample } from './samples.ts';
import { type Field, fieldsOf } from './schemas.ts';
import { typeName } from './type-name.ts';

type Media = Record<string, OpenAPIV3_1.MediaTypeObject> | undefined;

/** Renders operations and objects; collects the names of the objects that they link to. */
export interface ReferenceRenderer {
  operation(route: Route): Html;
  fields(schema: Schema): Html | null;
  /** Grows while operations and objects are rendered. */
  named: Set<string>;
}

/** @param base path of the docs as the browser sees it */
export function createRenderer(document: OpenApiDocument, base: string): ReferenceRenderer {
  const named = new Set<string>();

  const fields = (schema: Schema) => table('Field', fieldsOf(document, schema));

  function table(name: string, rows: readonly Field[]): Html | null {
    if (rows.length === 0) return null;
    return html`<dl class="fields" aria-label="${name}">${rows.map(
      ({ name: field, required, schema }) => html`
<div><dt><code>${field}</code> <span class="quiet">${typeName(document, schema, named)}</span>${required ? html` <span class="tag">required</span>` : null}</dt>
<dd>${renderInline(describe(schema))}</dd></div>`,
    )}</dl>`;
  }

  function parameters({ operation }: Route): Html[] {
    const all = (operation.parameters ?? []).map((parameter) =>
      'name' in parameter
        ? parameter
        : document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''],
    );
    return Object.entries({ path: 'Path', query: 'Query', header: 'Headers' }).flatMap(([place, title]) => {
      const rows = all.flatMap((parameter) => {
        if (parameter?.in !== place) return [];
        const { name, required = false, description = '', schema = {} } = parameter;
        return [{ name, required, schema: { ...(schema as Schema), description } }];
      });
      return rows.length === 0 ? [] : [html`<h4>${title}</h4>${table(title, rows)}`];
    });
  }

  function body({ operation: { requestBody } }: Route): Html[] {
    return Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => {
      const { description = '' } = resolved(schema as Schema);
      return html`<h4>Body, <code>${type}</code></h4><p>${renderInline(description)}${namesTool(schema as Schema) ? html` <a href="${base}/tools">The tools page</a> lists the options of each tool.` : null}</p>${fields(schema as Schema)}`;
    });
  }

  const namesTool = (schema: Schema) => fieldsOf(document, schema).some(({ name }) => name === 'options');

  const resolved = (schema: Schema): Schema =>
    typeof schema.$ref === 'string'
      ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
      : schema;

  function responses({ operation }: Route): Html[] {
    return Object.entries(operation.responses).flatMap(([status, response]) => {
      if (!status.startsWith('2') || '$ref' in response) return [];
      return html`<h4>Response ${status}</h4>
<p>${renderInline(response.description)}${shape(response.content)}</p>${examples(response.content)}`;
    });
  }

  function shape(content: Media): Html[] {
    return Object.entries(content ?? {}).map(([type, { schema }]) =>
      type === 'application/json' && schema !== undefined
        ? html` ${typeName(document, schema as Schema, named)}.`
        : html` <code>${type}</code>.`,
    );
  }

  function errors({ operation }: Route): Html | null {
    const codes = Object.values(operation.responses).flatMap((response) => {
      const content = 'content' in response ? response.content : undefined;
      return Object.values(content?.['application/json']?.examples ?? {}).flatMap((example) =>
        codeOf(example),
      );
    });
    const links = [...new Set(codes)].map(
      (code) => html`<li><a href="${base}/errors#${code}"><code>${code}</code></a></li>`,
    );
    return links.length === 0 ? null : html`<h4>Errors</h4><ul class="codes">${links}</ul>`;
  }

  return {
    named,
    fields,
    operation: (route) => html`
<section class="entry operation" id="${route.operation.operationId}" aria-labelledby="${route.operation.operationId}-title">
<div>
<h3 id="${route.operation.operationId}-title"><a class="anchor" href="#${route.operation.operationId}">${route.operation.summary ?? ''}</a></h3>
<p><span class="tag good">${route.method}</span> <code>${route.path}</code></p>
<p>${renderInline(route.operation.description ?? '')}</p>
${parameters(route)}${body(route)}${responses(route)}${errors(route)}
</div>
<div class="samples">
<h4>curl</h4><pre tabindex="0"><code>${curlSample(route)}</code></pre>
<h4>TypeScript</h4><pre tabindex="0"><code>${typescriptSample(route)}</code></pre>
<div class="try" data-operation="${route.operation.operationId}"></div>
</div>
</section>`,
  };
}

/** The description of a schema, or of the alternative to null. */
function describe(schema: Schema): string {
  const parts = (schema.anyOf ?? []) as Schema[];
  return schema.description ?? parts.find(({ description }) => description)?.description ?? '';
}

function examples(content: Media): Html[] {
  const found = Object.values(content ?? {}).flatMap(({ examples: all }) => Object.values(all ?? {}));
  return found.flatMap((example) =>
    'value' in example
      ? html`<details><summary>${example.summary ?? 'Example'}</summary><pre tabindex="0"><code>${text(example.value)}</code></pre></details>`
      : [],
  );
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function codeOf(example: OpenAPIV3_1.ExampleObject | OpenAPIV3_1.ReferenceObject): string[] {
  const value = 'value' in example ? (example.value as { error?: { code?: string } } | null) : null;
  return value?.error?.code === undefined ? [] : [value.error.code];
}
