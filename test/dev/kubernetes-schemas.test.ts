import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSchemas } from '../../dev/obtain/kubernetes-schemas.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const PREFIX = 'io.k8s.api';

function definitionsOf($defs: object): string {
  const file = join(temporaryFolder(), 'definitions.json');
  writeFileSync(file, JSON.stringify({ $id: 'https://kubernetes.io/api/_definitions.json', $defs }));
  return file;
}

const kindOf = (group: string, version: string, kind: string) => ({
  type: 'object',
  'x-kubernetes-group-version-kind': [{ group, version, kind }],
});

test('every kind gets a file, named by kind, first part of the group, and version', () => {
  const definitions = definitionsOf({
    [`${PREFIX}.core.v1.Service`]: kindOf('', 'v1', 'Service'),
    [`${PREFIX}.apps.v1.Deployment`]: kindOf('apps', 'v1', 'Deployment'),
    [`${PREFIX}.networking.v1.NetworkPolicy`]: kindOf('networking.k8s.io', 'v1', 'NetworkPolicy'),
    [`${PREFIX}.apps.v1.DeploymentSpec`]: { type: 'object' },
  });
  const folder = writeSchemas(definitions, join(temporaryFolder(), 'schemas'));
  expect(readdirSync(folder).sort()).toEqual([
    '_definitions.json',
    'deployment-apps-v1.json',
    'networkpolicy-networking-v1.json',
    'service-v1.json',
  ]);
});

test('the file of a kind refers to its definition in the same folder', () => {
  const type = `${PREFIX}.apps.v1.Deployment`;
  const folder = writeSchemas(
    definitionsOf({ [type]: kindOf('apps', 'v1', 'Deployment') }),
    join(temporaryFolder(), 'schemas'),
  );
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  expect(read('deployment-apps-v1.json')).toEqual({ $ref: `_definitions.json#/$defs/${type}` });
  expect(read('_definitions.json')).toEqual({ $defs: { [type]: kindOf('apps', 'v1', 'Deployment') } });
});

test('definitions of another shape are refused', () => {
  const folder = join(temporaryFolder(), 'schemas');
  expect(() =>
    writeSchemas(definitionsOf({ a: { 'x-kubernetes-group-version-kind': 'b' } }), folder),
  ).toThrow();
});
