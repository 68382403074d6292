import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');

test('a reader follows POST /v1/jobs to its transaction through at most 14 files', () => {
  const [, path = ''] = page.split('## From the request to the transaction');
  const files = [...path.matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/\1\)/gm)].map(([, file = '']) => file);
  expect([files.at(0), files.at(-1)]).toEqual(['api/app.ts', 'lib/stores/mongo/client.ts']);
  expect(files.length).toBeLessThanOrEqual(14);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
