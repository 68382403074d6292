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

const CONTRACT = 'lib/contract';
const DOMAIN = 'lib/domain';
const CATALOG = 'lib/catalog';
const PROCESS = 'lib/process';
const ADMISSION = 'lib/admission';
const EGRESS = 'lib/egress';
const TELEMETRY = 'lib/telemetry';
const IMAGING = 'lib/imaging';
const STORES = 'lib/stores';
const GENERATORS = 'lib/generators';
const PROTOCOL = 'lib/protocol';

const PRODUCTION: Readonly<Record<string, Layer>> = {
  [CONTRACT]: { layers: [], packages: ['typebox'] },
  [DOMAIN]: { layers: [CONTRACT], packages: ['standardwebhooks', 'node:crypto', 'node:zlib'] },
  [CATALOG]: { layers: [CONTRACT], packages: [] },
  [PROCESS]: {
    layers: [CONTRACT],
    packages: [
      'typebox',
      'pino',
      '@temporalio/client',
      'node:fs',
      'node:http',
      'node:module',
      'node:net',
      'node:os',
      'node:stream',
      'node:timers',
    ],
  },
  [ADMISSION]: { layers: [CONTRACT, PROCESS], packages: ['heap-js', 'node:stream'] },
  [EGRESS]: { layers: [CONTRACT, PROCESS, ADMISSION], packages: ['undici', 'node:dns', 'node:net'] },
  // OpenTelemetry's SDK is imported nowhere else, and loaded only where traces are configured.
  [TELEMETRY]: {
    layers: [PROCESS, EGRESS],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      '@temporalio/client',
      '@temporalio/interceptors-opentelemetry',
      '@temporalio/worker',
      'node:net',
      'pino',
      'prom-client',
    ],
  },
  [IMAGING]: {
    layers: [CONTRACT, PROCESS, ADMISSION],
    types: [CATALOG, DOMAIN],
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
  [STORES]: {
    layers: [CONTRACT, DOMAIN, PROCESS, TELEMETRY],
    packages: ['mongodb', '@aws-sdk/client-s3', 'dataloader', 'node:crypto'],
  },
  [GENERATORS]: {
    layers: [CONTRACT, DOMAIN, CATALOG, PROCESS, ADMISSION, EGRESS, TELEMETRY, IMAGING],
    packages: ['sharp', 'node:fs', 'node:crypto'],
  },
  [PROTOCOL]: { layers: [CONTRACT], types: [DOMAIN, CATALOG], packages: ['@temporalio/workflow'] },
  activities: {
    layers: [CONTRACT, DOMAIN, PROCESS, ADMISSION, IMAGING, STORES, GENERATORS, PROTOCOL],
    types: [CATALOG, EGRESS],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto'],
  },
  // Workflow code must be deterministic: nothing that does I/O.
  workflows: {
    layers: [DOMAIN, PROTOCOL],
    types: ['activities'],
    packages: ['@temporalio/workflow'],
  },
  worker: {
    layers: [PROCESS, EGRESS, TELEMETRY, IMAGING, STORES, GENERATORS, PROTOCOL, 'activities'],
  },
  api: {
    layers: [CONTRACT, DOMAIN, CATALOG, PROCESS, ADMISSION, EGRESS, TELEMETRY, IMAGING, STORES, PROTOCOL],
  },
  operator: { layers: [CONTRACT, DOMAIN, CATALOG, PROCESS, EGRESS, STORES, PROTOCOL] },
};

/** All layers, from the bottom up. Every other import is an error; tests may be imported by no layer. */
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
