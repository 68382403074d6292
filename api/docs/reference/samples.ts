import type { OpenAPIV3_1 } from 'openapi-types';
import type { OpenApiOperation } from '../openapi/types.ts';

/** An operation with its place in the document. */
export interface DocumentedRoute {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

type Parameter = OpenAPIV3_1.ParameterObject;

const IDEMPOTENCY_KEY = 'listing-4711-photo-3';

/** A command for a POSIX shell that has the base URL in `BASE`, the key in `KEY` and the id of the path, if any. */
export function curlSample(route: DocumentedRoute): string {
  const { method, path } = route;
  const body = bodyOf(route);
  const flags = [
    `curl -sS${streams(route) ? 'N' : ''}${needsMethod(route) ? ` -X ${method}` : ''}`,
    ...Object.entries({ 'X-Api-Key': '$KEY', ...headersOf(route) }).map(
      ([name, value]) => `-H "${name}: ${value}"`,
    ),
    ...(body === undefined ? [] : [`-d '${indented(body).replaceAll("'", String.raw`'\''`)}'`]),
    `"$BASE${path.replace(/\{(\w+)\}/g, (_all, name) => `$${variableOf(path, name)}`)}"`,
  ];
  return flags.join(' \\\n  ');
}

/** The same in TypeScript, with the variables `base`, `key` and that of the path. */
export function typescriptSample(route: DocumentedRoute): string {
  const url = route.path.replace(
    /\{(\w+)\}/g,
    (_all, name) => `\${${camelCase(variableOf(route.path, name))}}`,
  );
  const body = bodyOf(route);
  const headers = Object.entries(headersOf(route)).map(([name, value]) => `    '${name}': '${value}',`);
  return [
    `const response = await fetch(\`\${base}${url}\`, {`,
    ...(route.method === 'GET' ? [] : [`  method: '${route.method}',`]),
    ...(headers.length === 0
      ? [`  headers: { 'X-Api-Key': key },`]
      : ['  headers: {', `    'X-Api-Key': key,`, ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body)}),`]),
    '});',
    ...(answersJson(route) ? ['const result = await response.json();', THROW] : [THROW_STATUS]),
  ].join('\n');
}

const THROW = `if (!response.ok) throw new Error(\`\${result.error.code}: \${result.error.message}\`);`;
const THROW_STATUS = 'if (!response.ok) throw new Error(await response.text());';

/** What the path parameter is called: `JOB_ID` in `/v1/jobs/{id}`. */
export function variableOf(path: string, name: string): string {
  const resource = path.split('/')[2] ?? '';
  const singular = resource.replace(/ies$/, 'y').replace(/s$/, '').split('-').at(-1) ?? '';
  return `${singular}_${name}`.toUpperCase();
}

const camelCase = (upper: string) =>
  upper.toLowerCase().replace(/_(\w)/g, (_all, first) => first.toUpperCase());

function headersOf({ operation }: DocumentedRoute): Record<string, string> {
  const takesKey = (operation.parameters ?? []).some(
    (parameter) => 'name' in parameter && isIdempotencyKey(parameter),
  );
  return {
    ...(jsonBody(operation) === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(takesKey ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
  };
}

const isIdempotencyKey = ({ in: where, name }: Parameter) =>
  where === 'header' && name.toLowerCase() === 'idempotency-key';

const jsonBody = ({ requestBody }: OpenApiOperation) => requestBody?.content['application/json'];

/** The example of the body; rather one without an image in base64, which is long. */
function bodyOf({ operation }: DocumentedRoute): object | undefined {
  const examples = Object.values(jsonBody(operation)?.examples ?? {}).flatMap((example) =>
    'value' in example ? [example.value as object] : [],
  );
  return examples.find((value) => !('image_base64' in value)) ?? examples[0];
}

const needsMethod = (route: DocumentedRoute) =>
  route.method !== 'GET' && !(route.method === 'POST' && bodyOf(route) !== undefined);

const successOf = ({ operation }: DocumentedRoute) =>
  Object.entries(operation.responses).flatMap(([status, response]) =>
    status.startsWith('2') && 'content' in response ? Object.keys(response.content ?? {}) : [],
  );

const streams = (route: DocumentedRoute) => successOf(route).includes('text/event-stream');
const answersJson = (route: DocumentedRoute) => successOf(route).includes('application/json');

/** JSON as a literal of TypeScript. */
function literal(value: unknown, indent = '  '): string {
  const json = String(JSON.stringify(value));
  if (typeof value === 'string') return /['\\]/.test(json) ? json : `'${value}'`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return json;
  const inner = `${indent}  `;
  const fields = Object.entries(value).map(([name, part]) => `${inner}${name}: ${literal(part, inner)},`);
  return ['{', ...fields, `${indent}}`].join('\n');
}

const indented = (value: object) => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
