/** What one layer may import. */
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

const PRODUCTION: Readonly<Record<string, Layer>> = {
  contract: { layers: [], packages: ['typebox'] },
  domain: { layers: ['contract'], packages: ['node:crypto', 'node:zlib'] },
  catalog: { layers: ['contract'], packages: [] },
  config: { layers: [], packages: ['node:fs', 'node:module', 'node:net', 'node:os', 'typebox'] },
  'config.ts': { layers: ['config'], packages: ['typebox'] },
  runtime: {
    layers: ['contract', 'config.ts'],
    packages: [
      'pino',
      '@temporalio/client',
      'node:fs',
      'node:http',
      'node:net',
      'node:stream',
      'node:timers',
    ],
  },
  metrics: { layers: ['runtime'], types: ['config.ts'], packages: ['prom-client', 'pino'] },
  imaging: {
    layers: ['contract', 'runtime'],
    types: ['catalog', 'domain'],
    packages: [
      'sharp',
      'node:child_process',
      'node:events',
      'node:fs',
      'node:os',
      'node:path',
      'node:worker_threads',
    ],
  },
  egress: { layers: ['contract', 'config', 'runtime'], packages: ['undici', 'node:dns', 'node:net'] },
  stores: {
    layers: ['contract', 'domain', 'runtime', 'metrics'],
    types: ['config.ts'],
    packages: ['mongodb', '@aws-sdk/client-s3', 'dataloader', 'node:crypto'],
  },
  generators: {
    layers: ['contract', 'config.ts', 'domain', 'catalog', 'runtime', 'imaging', 'egress'],
    types: ['config'],
    packages: ['sharp', 'node:fs', 'node:crypto'],
  },
  // OpenTelemetry's SDK is imported nowhere else, and loaded only where traces are configured.
  tracing: {
    layers: ['config.ts', 'runtime', 'egress'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      '@temporalio/client',
      '@temporalio/interceptors-opentelemetry',
      '@temporalio/worker',
      'pino',
    ],
  },
  protocol: { layers: ['contract'], types: ['catalog', 'domain'], packages: ['@temporalio/workflow'] },
  activities: {
    layers: ['contract', 'domain', 'runtime', 'imaging', 'stores', 'generators', 'protocol'],
    types: ['catalog', 'egress'],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto'],
  },
  // Workflow code must be deterministic: nothing that does I/O.
  workflows: {
    layers: ['protocol'],
    types: ['activities', 'domain'],
    packages: ['@temporalio/workflow'],
  },
  worker: {
    layers: [
      'config.ts',
      'runtime',
      'metrics',
      'imaging',
      'egress',
      'stores',
      'generators',
      'tracing',
      'protocol',
      'activities',
    ],
  },
  api: {
    layers: [
      'config.ts',
      'contract',
      'domain',
      'catalog',
      'runtime',
      'metrics',
      'imaging',
      'egress',
      'stores',
      'tracing',
      'protocol',
    ],
  },
  operator: {
    layers: ['config.ts', 'contract', 'domain', 'catalog', 'runtime', 'egress', 'stores', 'protocol'],
  },
};

/** The top-level folders, from the bottom up. Every other import is an error; tests may be imported by no layer. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  ...PRODUCTION,
  // What clients install: it has no code in common with the service.
  'packages/client': { layers: [], packages: ['node:fs', 'node:path', 'node:process', 'node:util'] },
  'packages/mcp': {
    development: true,
    layers: [],
    packages: [
      '@modelcontextprotocol/sdk',
      'image-job',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:net',
      'node:path',
      'node:process',
      'node:stream',
      'node:url',
      'node:util',
      'zod',
    ],
  },
  // Workflow code runs only in a worker's bundle.
  dev: { development: true, layers: Object.keys(PRODUCTION).filter((name) => name !== 'workflows') },
};
