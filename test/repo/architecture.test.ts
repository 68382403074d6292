import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');

/** Files of the section, in its order. */
const filesOf = (section: string): string[] => {
  const [, path = ''] = page.split(`## ${section}`);
  const [list = ''] = path.split('\n## ');
  return [...list.matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/\1\)/gm)].map(([, file = '']) => file);
};

test('a reader follows POST /v1/jobs to its transaction through at most 14 files', () => {
  const files = filesOf('From the request to the transaction');
  expect([files.at(0), files.at(-1)]).toEqual(['api/app.ts', 'lib/stores/mongo/client.ts']);
  expect(files.length).toBeLessThanOrEqual(14);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

/** Entries of the path from render to webhook, with the name by which Temporal starts each. */
const ENTRIES = {
  'activities/jobs/render-job.ts': 'async renderJob(',
  'workflows/job.ts': 'export function jobWorkflow(',
  'activities/webhooks/deliver-webhook.ts': 'async deliverWebhook(',
};
/** The rooms of the path. What they import from other rooms are rules, ports and tools. */
const ROOMS = /^(activities|workflows|lib\/admission|lib\/generators)\//;

/** Files of {@link ROOMS} from which the file imports more than types. */
function importedBy(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  return module.staticImports
    .filter(({ entries }) => entries.some(({ isType }) => !isType))
    .filter(({ moduleRequest }) => moduleRequest.value.startsWith('.'))
    .map(({ moduleRequest }) => join(dirname(file), moduleRequest.value))
    .filter((path) => ROOMS.test(path));
}

function closureOf(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) for (const imported of importedBy(file)) found.add(imported);
  return found;
}

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

  const imported = closureOf([...Object.keys(ENTRIES), 'activities/webhooks/delivery-limits.ts']);
  // The limits divide deliveries by what is known of their receivers, and a reader of the path need
  // not know how.
  imported.delete('activities/webhooks/receivers.ts');
  expect(files.toSorted()).toEqual([...imported].toSorted());
});
