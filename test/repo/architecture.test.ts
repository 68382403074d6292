import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');
const sectionOf = (heading: string) => page.split(`## ${heading}`)[1]?.split('\n## ')[0] ?? '';

/** The numbered files of a section, in its order. */
const filesOf = (heading: string): string[] =>
  [...sectionOf(heading).matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/\1\)/gm)].map(([, file = '']) => file);

/** Files of the rooms from which the file imports more than types. */
function importedBy(file: string, rooms: RegExp): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  return module.staticImports
    .filter(({ entries }) => entries.some(({ isType }) => !isType))
    .filter(({ moduleRequest }) => moduleRequest.value.startsWith('.'))
    .map(({ moduleRequest }) => join(dirname(file), moduleRequest.value))
    .filter((path) => rooms.test(path));
}

/** The files, and all that they import from the rooms. */
function reachedFrom(files: readonly string[], rooms: RegExp): Set<string> {
  const reached = new Set(files);
  for (const file of reached) for (const imported of importedBy(file, rooms)) reached.add(imported);
  return reached;
}

const POST = 'From the request to the transaction';
/** The rooms of the path of a POST whose imports are followed. */
const POST_ROOMS = /^(api|lib\/admission|lib\/protocol)\//;
/** Files that the steps call. The page lists them by folder. */
const called = sectionOf(POST)
  .split(/(?=\b[Ii]n `(?:api|lib)\/)/)
  .slice(1)
  .flatMap((item) => {
    const [, folder = '', files = ''] = /^[Ii]n `([^`]+)`:(.*?)(?:\n\n|$)/s.exec(item) ?? [];
    return [...files.matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => `${folder}/${file}`);
  });

test('a reader follows POST /v1/jobs to its transaction through at most 25 files', () => {
  const files = filesOf(POST);
  expect([files.at(0), files.at(-1)]).toEqual(['api/app.ts', 'lib/stores/mongo/client.ts']);
  expect(files.length).toBeLessThanOrEqual(25);
  expect([...files, ...called].filter((file) => !existsSync(file))).toEqual([]);
});

test('the API files that the steps of POST /v1/jobs import are all named, and no others', () => {
  const [server, ...steps] = filesOf(POST).filter((file) => POST_ROOMS.test(file));
  expect(server).toBe('api/app.ts');
  // The handler gets limits and gateway as dependencies, and imports only their types.
  const dependencies = ['api/admission/limits.ts', 'api/jobs/gateway.ts'];
  const roots = ['api/http/checks.ts', 'api/routes/create-job.ts', ...dependencies];
  const named = [...steps, ...called.filter((file) => POST_ROOMS.test(file))];
  expect(named.toSorted()).toEqual([...reachedFrom(roots, POST_ROOMS)].toSorted());
});

/** Entries of the path from render to webhook, with the name by which Temporal starts each. */
const ENTRIES = {
  'activities/jobs/render-job.ts': 'async renderJob(',
  'workflows/job.ts': 'export function jobWorkflow(',
  'activities/webhooks/deliver-webhook.ts': 'async deliverWebhook(',
};
/** The rooms of the path. What they import from other rooms are rules, ports and tools. */
const RENDER_ROOMS = /^(activities|workflows|lib\/admission|lib\/generators)\//;

test('a reader follows a render to its webhook through at most 20 files, and nothing else is imported on the way', () => {
  const files = filesOf('From the render to the webhook');
  expect([files.at(0), files.at(-1)]).toEqual([
    'activities/jobs/render-job.ts',
    'activities/webhooks/send.ts',
  ]);
  expect(files.length).toBeLessThanOrEqual(20);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  for (const [entry, name] of Object.entries(ENTRIES)) expect(readFileSync(entry, 'utf8')).toContain(name);
  expect(readFileSync('activities/webhooks/send.ts', 'utf8')).toContain('egress.post(');

  const imported = reachedFrom(
    [...Object.keys(ENTRIES), 'activities/webhooks/delivery-limits.ts'],
    RENDER_ROOMS,
  );
  // The limits divide deliveries by what is known of their receivers, and a reader of the path need not know how.
  imported.delete('activities/webhooks/receivers.ts');
  expect(files.toSorted()).toEqual([...imported].toSorted());
});
