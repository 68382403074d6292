import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { parseAllDocuments } from 'yaml';
import { obtainTool } from '../../dev/obtain/tools.ts';
import { runCommand } from '../../dev/process/command.ts';
import { environment } from '../../lib/process/config/config.ts';

const Labels = Type.Record(Type.String(), Type.String());
const Quantities = Type.Record(Type.String(), Type.String());
const HttpGet = Type.Object({
  httpGet: Type.Object({ path: Type.String(), port: Type.String() }),
});

const Container = Type.Object({
  image: Type.String(),
  command: Type.Array(Type.String()),
  env: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
  envFrom: Type.Array(Type.Object({ configMapRef: Type.Object({ name: Type.String() }) })),
  ports: Type.Optional(Type.Array(Type.Object({ name: Type.String(), containerPort: Type.Integer() }))),
  startupProbe: Type.Optional(HttpGet),
  livenessProbe: Type.Optional(HttpGet),
  readinessProbe: Type.Optional(HttpGet),
  securityContext: Type.Object({}),
  resources: Type.Object({ requests: Quantities, limits: Quantities }),
  volumeMounts: Type.Array(Type.Object({ name: Type.String(), mountPath: Type.String() })),
});
export type Container = Static<typeof Container>;

const PodSpec = Type.Object({
  automountServiceAccountToken: Type.Boolean(),
  enableServiceLinks: Type.Boolean(),
  terminationGracePeriodSeconds: Type.Optional(Type.Integer()),
  securityContext: Type.Object({}),
  containers: Type.Tuple([Container]),
  volumes: Type.Array(Type.Object({ name: Type.String() })),
});

export const Workload = Type.Object({
  kind: Type.Enum(['Deployment', 'Job']),
  metadata: Type.Object({ name: Type.String() }),
  spec: Type.Object({
    template: Type.Object({ metadata: Type.Object({ labels: Labels }), spec: PodSpec }),
  }),
});
export type Workload = Static<typeof Workload>;

const Manifest = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String(), labels: Labels }),
  data: Type.Optional(Type.Record(Type.String(), Type.String())),
  spec: Type.Unknown(),
});
export type Manifest = Static<typeof Manifest>;

const say = (line: string) => void process.stderr.write(`${line}\n`);
export const context = { env: environment(), say, signal: new AbortController().signal };

export const KUBERNETES = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes');

/** Writes the output of `kustomize build` on a folder to a file. */
export async function build(folder: string, file: string): Promise<Manifest[]> {
  const kustomize = await obtainTool('kustomize', context);
  const args = ['build', folder, '--output', file];
  await runCommand(kustomize, args, { signal: context.signal });
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return documents.map((document) => Value.Parse(Manifest, { spec: null, ...document.toJS() }));
}

/** What `schema` describes of the objects of a kind. */
export const specsOf = <T extends Type.TSchema>(manifests: Manifest[], kind: string, schema: T) =>
  manifests
    .filter((manifest) => manifest.kind === kind)
    .map(({ metadata, spec }) => ({ metadata, spec: Value.Parse(schema, spec) }));

export const workloadsIn = (manifests: Manifest[]): Workload[] =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((manifest) => Value.Parse(Workload, manifest));

/** The environment of a container, with the files of secrets in another folder. */
export function environmentOf(manifests: Manifest[], container: Container, secrets: string) {
  const maps = container.envFrom.map(
    ({ configMapRef }) =>
      manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name)
        ?.data ?? {},
  );
  const own = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
  const all: Record<string, string> = Object.assign({}, ...maps, own);
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, value.replace(/^\/run\/secrets/, secrets)]),
  );
}
