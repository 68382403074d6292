import { describe, expect, test } from 'vitest';
import { breachesIn, layerOf } from '../../dev/lint/imports.ts';
import { LAYERS } from '../../dev/lint/layers.ts';
import { sourceFiles } from '../../dev/lint/source-files.ts';

const breaches = (path: string, text: string) =>
  breachesIn(path, text).map((message) => message.split(': ')[1]);

describe('the layers', () => {
  test('are exactly the top-level folders, the folders of lib, and the packages', () => {
    const tops = new Set(sourceFiles().map(layerOf));
    const ignored = ['docs', 'vitest.config.ts'];
    expect([...tops].filter((top) => !ignored.includes(top)).sort()).toEqual(Object.keys(LAYERS).sort());
  });

  test('import only layers below them', () => {
    const order = Object.keys(LAYERS);
    for (const [name, { layers, types = [] }] of Object.entries(LAYERS))
      for (const below of [...layers, ...types])
        expect(order.indexOf(below), name).toBeLessThan(order.indexOf(name));
  });
});

describe('an import is refused', () => {
  test.each([
    ['lib/contract/a.ts', "import { a } from '../domain/a.ts';", 'lib/contract must not import lib/domain'],
    ['lib/domain/a.ts', "import type { A } from '../stores/a.ts';", 'lib/domain must not import lib/stores'],
    ['api/jobs/a.ts', "import { a } from '../../activities/a.ts';", 'api must not import activities'],
    [
      'workflows/a.ts',
      "import { a } from '../activities/a.ts';",
      'workflows may import types of activities only',
    ],
    ['workflows/a.ts', "import { randomUUID } from 'node:crypto';", 'workflows must not import node:crypto'],
    [
      'workflows/a.ts',
      "import { Client } from '@temporalio/client';",
      'workflows must not import @temporalio/client',
    ],
    ['lib/catalog/a.ts', "import { Type } from 'typebox/value';", 'lib/catalog must not import typebox'],
    ['operator/a.ts', "export { a } from '../worker/a.ts';", 'operator must not import worker'],
    ['operator/a.ts', "export * from '../dev/a.ts';", 'operator must not import dev'],
    ['worker/a.ts', "const a = await import('../api/a.ts');", 'worker must not import api'],
    ['lib/egress/a.ts', "import '../stores/a.ts';", 'lib/egress must not import lib/stores'],
    ['dev/a.ts', "import { a } from '../test/a.ts';", 'dev must not import test'],
    ['api/a.ts', "import tar from 'tar';", 'api must not import tar, which production does not install'],
    [
      'operator/a.ts',
      "await import('pino-pretty');",
      'operator must not import pino-pretty, which production does not install',
    ],
    ['helpers/a.ts', '', 'helpers is no layer; add it to dev/lint/layers.ts'],
  ])('%s: %s', (path, text, breach) => {
    expect(breaches(path, text)).toEqual([breach]);
  });

  test('unless it is allowed', () => {
    expect(breaches('workflows/a.ts', "import type { A } from '../activities/a.ts';")).toEqual([]);
    expect(
      breaches('api/jobs/a.ts', "import { a } from '../../lib/protocol/a.ts'; import a from 'fastify';"),
    ).toEqual([]);
    expect(breaches('api/a.ts', "import type { Headers } from 'tar';")).toEqual([]);
    expect(breaches('dev/a.ts', "import tar from 'tar';")).toEqual([]);
  });
});
