import { beforeAll, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../api/docs/openapi/types.ts';
import { Job, JobProgress } from '../../lib/contract/schemas.ts';
import { problems, readDocument } from './document.ts';

let document: OpenApiDocument;

beforeAll(async () => {
  document = await readDocument();
});

const successOf = (path: string, method: string, status: string) => {
  const response = document.paths[path]?.[method]?.responses[status];
  return response !== undefined && 'content' in response ? response : undefined;
};

test.each([
  ['/v1/jobs', 'post', '201', ['Preference-Applied']],
  ['/v1/jobs/{id}', 'get', '200', ['Preference-Applied', 'Retry-After']],
])('the document describes how to wait at %s: %s', (path, method, status, headers) => {
  expect(document.paths[path]?.[method]?.parameters).toContainEqual(
    expect.objectContaining({ name: 'Prefer', in: 'header', required: false, example: 'wait=30' }),
  );
  expect(Object.keys(successOf(path, method, status)?.headers ?? {})).toEqual(
    expect.arrayContaining(headers),
  );
});

test('the document describes the event stream, with events whose data are valid', () => {
  const path = '/v1/jobs/{id}/events';
  expect(document.paths[path]?.get?.parameters).toContainEqual(
    expect.objectContaining({ name: 'Last-Event-ID', in: 'header', required: false }),
  );
  const { events } = successOf(path, 'get', '200')?.content?.['text/event-stream']?.examples ?? {};
  const text = events !== undefined && 'value' in events ? String(events.value) : '';
  const schemas = { status: Job, progress: JobProgress };
  const found = [...text.matchAll(/^event: (status|progress)\ndata: (.*)$/gm)];
  expect(found.map(([, name]) => name)).toEqual(['status', 'progress', 'status']);
  for (const [, name, data = ''] of found)
    expect(problems(document, schemas[name as keyof typeof schemas], JSON.parse(data))).toEqual([]);
});
