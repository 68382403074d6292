/** What the files of one layer may import. */
export interface Layer {
  /** Layers it may import anything from. */
  layers: readonly string[];
  /** Layers it may import only types from. */
  types?: readonly string[];
  /** Packages and modules of Node it may import; any when absent. */
  packages?: readonly string[];
  /** Whether it never runs in production, and so may import packages that only development has. */
  development?: true;
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);
/** Folders of lib by their short names. */
const lib = (names: string) => words(names).map((name) => `lib/${name}`);

const PRODUCTION: Readonly<Record<string, Layer>> = {
  'lib/contract': { layers: [], packages: ['typebox'] },
  'lib/domain': { layers: lib('contract'), packages: words('standardwebhooks node:crypto node:zlib') },
  'lib/catalog': { layers: lib('contract'), packages: [] },
  'lib/process': {
    layers: lib('contract'),
    packages: words(`typebox pino @temporalio/client
      node:fs node:http node:module node:net node:os node:stream node:timers`),
  },
  'lib/admission': { layers: lib('contract process'), packages: words('heap-js node:stream') },
  'lib/egress': { layers: lib('contract process admission'), packages: words('undici node:dns node:net') },
  // OpenTelemetry's SDK is imported nowhere else, and loaded only where traces are configured.
  'lib/telemetry': {
    layers: lib('process egress'),
    packages: words(`@opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/core
      @opentelemetry/resources @opentelemetry/sdk-trace-base @temporalio/client
      @temporalio/interceptors-opentelemetry @temporalio/worker node:net pino prom-client`),
  },
  'lib/imaging': {
    layers: lib('contract process admission'),
    types: lib('catalog domain'),
    packages: words(`sharp
      node:child_process node:events node:fs node:os node:path node:worker_threads`),
  },
  'lib/stores': {
    layers: lib('contract domain process telemetry'),
    packages: words('mongodb @aws-sdk/client-s3 dataloader node:crypto'),
  },
  'lib/generators': {
    layers: lib('contract domain catalog process admission egress telemetry imaging'),
    packages: words('sharp node:fs node:crypto'),
  },
  'lib/protocol': {
    layers: lib('contract'),
    types: lib('domain catalog'),
    packages: ['@temporalio/workflow'],
  },
  activities: {
    layers: lib('contract domain process admission imaging stores generators protocol'),
    types: lib('catalog egress'),
    packages: words('@temporalio/activity @temporalio/common node:crypto'),
  },
  // Workflow code must be deterministic: nothing that does I/O.
  workflows: { layers: lib('domain protocol'), types: ['activities'], packages: ['@temporalio/workflow'] },
  worker: {
    layers: [...lib('process egress telemetry imaging stores generators protocol'), 'activities'],
  },
  api: {
    layers: lib('contract domain catalog process admission egress telemetry imaging stores protocol'),
  },
  operator: { layers: lib('contract domain catalog process egress stores protocol') },
};

/** All layers, from the bottom up. Every other import is an error; no layer may import tests. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  ...PRODUCTION,
  // What clients install: it has no code in common with the service.
  'packages/client': { layers: [], packages: words('node:fs node:path node:process node:util') },
  'packages/mcp': {
    development: true,
    layers: [],
    packages: words(`@modelcontextprotocol/sdk image-job zod node:crypto node:events node:fs node:http
      node:net node:path node:process node:stream node:url node:util`),
  },
  // Workflow code runs only in a worker's bundle.
  dev: { development: true, layers: Object.keys(PRODUCTION).filter((name) => name !== 'workflows') },
};
