import type { OpenAPIV3_1 } from 'openapi-types';
import { renderInline } from '../markdown.ts';
import type { OpenApiSchema } from '../openapi/types.ts';
import { type Html, html } from '../pages/html.ts';
import { fieldList, objectFields, type ReferencePage } from './fields.ts';
import { curlSample, type DocumentedRoute, typescriptSample } from './samples.ts';
import { fieldsOf, resolveSchema } from './schemas.ts';
import { typeName } from './type-name.ts';

type Media = Record<string, OpenAPIV3_1.MediaTypeObject> | undefined;

/** The section of an operation: what it takes and returns, and how to call it. */
export function operationSection(reference: ReferencePage, route: DocumentedRoute): Html {
  const { operationId, summary = operationId, description = '' } = route.operation;
  return html`
<section class="entry operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div>
<h3 id="${operationId}-title"><a class="anchor" href="#${operationId}">${summary}</a></h3>
<p><span class="tag good">${route.method}</span> <code>${route.path}</code></p>
<p>${renderInline(description)}</p>
${parameters(reference, route)}${bodies(reference, route)}${responses(reference, route)}${errors(reference, route)}
</div>
<div class="samples">
<h4>curl</h4><pre tabindex="0"><code>${curlSample(route)}</code></pre>
<h4>TypeScript</h4><pre tabindex="0"><code>${typescriptSample(route)}</code></pre>
<div class="try" data-operation="${operationId}"></div>
</div>
</section>`;
}

function parameters(reference: ReferencePage, { operation }: DocumentedRoute): Html[] {
  const { components } = reference.document;
  const all = (operation.parameters ?? []).map((parameter) =>
    'name' in parameter ? parameter : components.parameters[parameter.$ref.split('/').at(-1) ?? ''],
  );
  return Object.entries({ path: 'Path', query: 'Query', header: 'Headers' }).flatMap(([place, title]) => {
    const fields = all.flatMap((parameter) => {
      if (parameter?.in !== place) return [];
      const { name, required = false, description = '', schema = {} } = parameter;
      return [{ name, required, schema: { ...(schema as OpenApiSchema), description } }];
    });
    return fields.length === 0 ? [] : [html`<h4>${title}</h4>${fieldList(reference, fields)}`];
  });
}

function bodies(reference: ReferencePage, { operation: { requestBody } }: DocumentedRoute): Html[] {
  const { document, base } = reference;
  return Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) => {
    const body = schema as OpenApiSchema;
    const { description = '' } = resolveSchema(document, body);
    const tools = fieldsOf(document, body).some(({ name }) => name === 'options')
      ? html` <code>tool</code> is one of <a href="${base}/tools">the tools</a>, and <code>options</code> has options of that tool.`
      : null;
    return html`<h4>Body, <code>${type}</code></h4>
<p>${renderInline(description)}${tools}</p>${objectFields(reference, body)}`;
  });
}

function responses(reference: ReferencePage, { operation }: DocumentedRoute): Html[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    if (!status.startsWith('2') || '$ref' in response) return [];
    const { description, content } = response;
    return html`<h4>Response ${status}</h4>
<p>${renderInline(description)}${shapes(reference, content)}</p>${examples(content)}`;
  });
}

function shapes({ document, named }: ReferencePage, content: Media): Html[] {
  return Object.entries(content ?? {}).map(([type, { schema }]) =>
    type === 'application/json' && schema !== undefined
      ? html` ${typeName(document, schema as OpenApiSchema, named)}.`
      : html` <code>${type}</code>.`,
  );
}

function examples(content: Media): Html[] {
  const found = Object.values(content ?? {}).flatMap(({ examples: all }) => Object.values(all ?? {}));
  return found.flatMap((example) =>
    'value' in example
      ? html`<details><summary>${example.summary ?? 'Example'}</summary><pre tabindex="0"><code>${textOf(example.value)}</code></pre></details>`
      : [],
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function errors({ base }: ReferencePage, { operation }: DocumentedRoute): Html | null {
  const codes = Object.values(operation.responses).flatMap((response) => {
    const content: Media = 'content' in response ? response.content : undefined;
    return Object.values(content?.['application/json']?.examples ?? {}).flatMap(codeOf);
  });
  const links = [...new Set(codes)].map(
    (code) => html`<li><a href="${base}/errors#${code}"><code>${code}</code></a></li>`,
  );
  return links.length === 0 ? null : html`<h4>Errors</h4><ul class="codes">${links}</ul>`;
}

function codeOf(example: OpenAPIV3_1.ExampleObject | OpenAPIV3_1.ReferenceObject): string[] {
  const value = 'value' in example ? (example.value as { error?: { code?: string } } | null) : null;
  return value?.error?.code === undefined ? [] : [value.error.code];
}
