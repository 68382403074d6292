import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Type } from 'typebox';
import { beforeAll, describe, expect, test } from 'vitest';
import { obtainKubernetesSchemas } from '../../dev/obtain/kubernetes-schemas.ts';
import { obtainTool } from '../../dev/obtain/tools.ts';
import { runCommand } from '../../dev/process/command.ts';
import { ConfigError, Environment, loadConfig } from '../../lib/process/config/config.ts';
import { SECRET_FILES } from '../../lib/process/config/secret-files.ts';
import { CLOSING_MS } from '../../lib/process/process.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { REQUIRED } from '../setup/required.ts';
import { folderOfFile } from '../setup/temporary-folder.ts';
import {
  build,
  context,
  environmentOf,
  KUBERNETES,
  type Manifest,
  specsOf,
  type Workload,
  workloadsIn,
} from './manifests.ts';

const folder = folderOfFile();
const secrets = join(folder, 'secrets');
const fileOf = (name: string) => join(folder, `${name}.yaml`);

let base: Manifest[];
let overlay: Manifest[];
let withKeda: Manifest[];
let withTracing: Manifest[];
/** Of the overlay, by name. */
let workloads: Map<string, Workload>;
let kubeconform: string;
let schemas: string;

beforeAll(async () => {
  [kubeconform, schemas] = await Promise.all([
    obtainTool('kubeconform', context),
    obtainKubernetesSchemas(context),
  ]);
  writeSecrets();
  base = await build(join(KUBERNETES, 'base'), fileOf('base'));
  overlay = await build(join(KUBERNETES, 'overlays/example'), fileOf('overlay'));
  workloads = new Map(workloadsIn(overlay).map((workload) => [workload.metadata.name, workload]));
  withKeda = await build(overlayWith('keda'), fileOf('keda'));
  withTracing = await build(overlayWith('tracing'), fileOf('tracing'));
  // On a machine that reaches package registries only, Go builds two programs the first time.
}, 600_000);

/** @returns a folder with an overlay that adds the component to the example */
function overlayWith(name: 'keda' | 'tracing'): string {
  const extended = join(folder, `with-${name}`);
  mkdirSync(extended);
  const [example, component] = ['overlays/example', `components/${name}`].map((path) =>
    relative(extended, join(KUBERNETES, path)),
  );
  const kustomization = { resources: [example], components: [component] };
  writeFileSync(join(extended, 'kustomization.yaml'), JSON.stringify(kustomization));
  return extended;
}

/** What the Secrets of the example hold. */
function writeSecrets(): void {
  const files = {
    'image-job-api': {
      MONGODB_URL: REQUIRED.MONGODB_URL,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    },
    generators: { OPENAI_API_KEY: 'key' },
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(secrets, name), { recursive: true });
    for (const [key, value] of Object.entries(content)) writeFileSync(join(secrets, name, key), `${value}\n`);
  }
}

const containerOf = (name: string) => {
  const workload = workloads.get(name);
  if (workload === undefined) throw new Error(`no workload ${name}`);
  return workload.spec.template.spec.containers[0];
};
const configOf = (name: string) => loadConfig(environmentOf(overlay, containerOf(name), secrets));

describe('kubeconform, strictly and with the schemas of Kubernetes,', () => {
  const check = (file: string) => {
    const location = join(schemas, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
    const args = ['-strict', '-summary', '-skip', 'ScaledObject', '-schema-location', location, file];
    return runCommand(kubeconform, args, { signal: context.signal });
  };

  test.each(['base', 'overlay', 'keda', 'tracing'])('accepts every object of the %s', async (name) => {
    expect(await check(fileOf(name))).toContain('Invalid: 0, Errors: 0');
  });

  test('refuses a field that there is not, and a value of another type', async () => {
    const [deployment] = overlay.filter(({ kind }) => kind === 'Deployment');
    const wrong = { spec: { replicas: 'two' }, metadata: { name: 'api', owner: 'nobody' } };
    writeFileSync(fileOf('wrong'), JSON.stringify({ ...deployment, ...wrong }));
    const refused = check(fileOf('wrong'));
    await expect(refused).rejects.toThrow(/additional propert.*'owner' not allowed/);
    await expect(refused).rejects.toThrow(/\/spec\/replicas/);
  });
});

test('there is one Deployment per process and queue, and a Job for setup', () => {
  expect([...workloads].map(([name, { kind }]) => `${kind} ${name}`).sort()).toEqual([
    'Deployment api',
    'Deployment renderer',
    'Deployment worker-jobs',
    'Deployment worker-webhooks',
    'Job setup',
  ]);
  expect(configOf('worker-jobs').worker.queues).toBe('jobs');
  expect(configOf('worker-webhooks').worker.queues).toBe('webhooks');
});

test('every pod runs without root, a writable root, capabilities and the token of its account', () => {
  for (const { spec } of workloads.values()) {
    const { securityContext, containers, ...pod } = spec.template.spec;
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '256Mi' } });
    expect(containers[0].volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
  }
});

describe('the environment of a process', () => {
  test('in the overlay is complete, and has only variables that exist', () => {
    const known = [...Object.keys(Environment.properties), ...SECRET_FILES];
    for (const name of workloads.keys()) {
      const env = environmentOf(overlay, containerOf(name), secrets);
      expect(Object.keys(env).filter((variable) => !known.includes(variable))).toEqual([]);
      expect(loadConfig(env).mongo.url).toBe(REQUIRED.MONGODB_URL);
    }
    expect(configOf('renderer').generators.missing).toEqual([]);
  });

  test('in the base stops the process, which names what an overlay has to set', () => {
    const missing = Object.keys(REQUIRED).filter((name) => name !== 'MONGODB_URL');
    expect(missing).toContain('GENERATORS');
    for (const { spec } of workloadsIn(base)) {
      const env = environmentOf(base, spec.template.spec.containers[0], secrets);
      const message = ['The environment is not usable:', ...missing.map((name) => `  ${name}: must be set`)];
      expect(() => loadConfig(env)).toThrow(new ConfigError(message.join('\n')));
    }
  });

  test('has keys of generators in the renderer alone', () => {
    const holders = [...workloads.keys()].filter((name) =>
      containerOf(name).volumeMounts.some(({ mountPath }) => mountPath.includes('generators')),
    );
    expect(holders).toEqual(['renderer']);
  });
});

test('with the component, all processes send traces to a collector that a policy lets them reach', () => {
  for (const { spec } of workloadsIn(withTracing)) {
    const { tracing } = loadConfig(environmentOf(withTracing, spec.template.spec.containers[0], secrets));
    expect(tracing?.url).toBe('http://collector.monitoring.svc.cluster.local:4318/v1/traces');
  }
  const Rule = Type.Object({ ports: Type.Array(Type.Object({ port: Type.Integer() })) });
  const Policy = Type.Object({ egress: Type.Optional(Type.Array(Rule)) });
  const collector = specsOf(withTracing, 'NetworkPolicy', Policy).find(
    ({ metadata }) => metadata.name === 'collector',
  );
  expect(collector?.spec.egress?.[0]?.ports).toEqual([{ protocol: 'TCP', port: 4318 }]);
  expect(configOf('api').tracing).toBeNull();
});

test('every command names a file of the build', () => {
  for (const name of workloads.keys()) {
    const [node, file = ''] = containerOf(name).command;
    expect(node).toBe('node');
    expect(existsSync(file.replace(/^dist\/(.*)\.js$/, '$1.ts')), file).toBe(true);
  }
});

test('a pod has longer to end than its process takes', () => {
  for (const [name, { kind, spec }] of workloads) {
    const { shutdownGraceMs, worker } = configOf(name);
    const endsWithinMs = (name === 'renderer' ? worker.renderGraceMs : shutdownGraceMs) + CLOSING_MS;
    const graceS = spec.template.spec.terminationGracePeriodSeconds ?? 30;
    if (kind === 'Deployment') expect(graceS * 1000).toBeGreaterThan(endsWithinMs);
  }
});

test('probes ask the port of the process for its health', () => {
  for (const [name, { kind }] of workloads) {
    if (kind === 'Job') continue;
    const { ports = [], startupProbe, livenessProbe, readinessProbe } = containerOf(name);
    const env = environmentOf(overlay, containerOf(name), secrets);
    const port = ports.find((one) => one.name === readinessProbe?.httpGet.port)?.containerPort;
    expect(String(port)).toBe(name === 'api' ? env.API_PORT : env.HEALTH_PORT);
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path);
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
    expect(ports).toContainEqual({ name: 'metrics', containerPort: Number(env.METRICS_PORT) });
  }
});

test('the images of a renderer fit its memory, and its image processes its processors', () => {
  const { worker } = configOf('renderer');
  const { memory = '', cpu = '' } = containerOf('renderer').resources.limits;
  expect(memory).toMatch(/^\d+Gi$/);
  expect(worker.renderMemoryBytes * 1.5).toBeLessThanOrEqual(Number.parseInt(memory, 10) * 2 ** 30);
  expect(worker.imageProcesses).toBeGreaterThan(0);
  expect(worker.imageProcesses).toBeLessThanOrEqual(Number(cpu));
});

describe('every Deployment', () => {
  const Budget = Type.Object({
    selector: Type.Object({ matchLabels: Type.Record(Type.String(), Type.String()) }),
  });
  const Scaler = Type.Object({ scaleTargetRef: Type.Object({ name: Type.String() }) });
  const deployments = () => [...workloads.values()].filter(({ kind }) => kind === 'Deployment');

  test('has a disruption budget that selects its pods', () => {
    const budgets = specsOf(overlay, 'PodDisruptionBudget', Budget);
    for (const { metadata, spec } of deployments()) {
      const budget = budgets.find((one) => one.metadata.name === metadata.name);
      expect(spec.template.metadata.labels).toEqual(budget?.spec.selector.matchLabels);
    }
  });

  const targets = (manifests: Manifest[], kind: string) =>
    specsOf(manifests, kind, Scaler).map(({ spec }) => spec.scaleTargetRef.name);

  test('has one autoscaler: by CPU, or by backlog with the component', () => {
    const names = deployments().map(({ metadata }) => metadata.name);
    expect(targets(overlay, 'HorizontalPodAutoscaler').sort()).toEqual(names.sort());
    expect(targets(withKeda, 'HorizontalPodAutoscaler')).toEqual(['api']);
    expect([...targets(withKeda, 'ScaledObject'), 'api'].sort()).toEqual(names.sort());
  });

  test('with the component is scaled by a task queue that exists', () => {
    const Trigger = Type.Object({ metadata: Type.Object({ taskQueue: Type.String() }) });
    const Scaled = Type.Object({ triggers: Type.Tuple([Trigger]) });
    const queues = specsOf(withKeda, 'ScaledObject', Scaled).map(
      ({ spec }) => spec.triggers[0].metadata.taskQueue,
    );
    expect(queues.sort()).toEqual(Object.values(taskQueues('')).sort());
  });
});
