import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Type } from 'typebox';
import { egressWarning } from '../../lib/egress/allow-origins.ts';
import { type Config, isPortGiven, loadConfig } from '../../lib/process/config/config.ts';
import { withResources } from '../../lib/process/resources.ts';
import { type Say, withProgress } from '../obtain/progress.ts';
import { allStarted } from '../process/all-started.ts';
import type { Child } from '../process/child.ts';
import type { Ports } from '../process/tcp-ports.ts';
import { type Servers, startServers } from '../servers/start.ts';
import { checkEnvironment } from './check-environment.ts';
import { confirmDemo, type Demo, prepareDemo } from './demo.ts';
import { settingsOf } from './environment-settings.ts';
import { operate } from './operate.ts';
import {
  LOOPBACK,
  localBase,
  STACK_PROCESSES,
  type StackProcess,
  startProcess,
} from './service-processes.ts';

const DEFAULT_API_PORT = 8080;

type Options = { dataDir: string; env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal; watch?: boolean };

/** Content of `.stack/stack.json`: how other programs reach the running stack. */
export type StackFile = {
  api_base: string;
  upload_url: string;
  demo_account_id: string;
  demo_api_key: string;
  temporal_address: string;
  temporal_ui: string | null;
  mongodb_url: string;
  s3_endpoint: string;
  /** URL of the metrics of each process. */
  metrics: Record<StackProcess, string>;
  /** Settings of the stack, for the operator's commands that run without MONGODB_URL. */
  env: Record<string, string>;
};

/** Servers, worker, renderer and API on this machine. Disposing stops them. */
export type Stack = AsyncDisposable & {
  described: StackFile;
  dataDir: string;
  /** What the operator has to know, a sentence or two each. */
  warnings: string[];
  processes: Partial<Record<StackProcess, Child>>;
};

/**
 * Starts the whole service and resolves once a call with the demo key has succeeded. What can be
 * checked before the servers start is checked first.
 * @throws {ConfigError} when the environment is invalid
 * @throws {FolderInUseError} when it is already running on this folder
 * @throws {PortTakenError} when nothing can listen on the configured port
 * @throws {DiskFullError}
 * @throws {ObtainError} when a server cannot be obtained
 */
export async function startStack({
  dataDir,
  env: caller,
  say,
  signal,
  watch = false,
}: Options): Promise<Stack> {
  const { api } = await checkEnvironment(caller);
  return withResources(async (keep) => {
    let port = DEFAULT_API_PORT;
    const beforeStart = async (ports: Ports) => {
      port = await apiPort(ports, api, isPortGiven(caller));
    };
    const options = { dataDir, ephemeral: false, ui: true, say, signal, env: caller, beforeStart };
    const servers = keep(await startServers(options));
    const { folder, ports, temporalUi } = servers;
    const env = serviceEnvironment(servers, caller, port);
    const config = loadConfig(env);
    const metricsPorts = {
      api: await ports.choose('api-metrics'),
      worker: await ports.choose('worker-metrics'),
      renderer: await ports.choose('renderer-metrics'),
    };
    const processes: Stack['processes'] = {};
    keep({
      [Symbol.asyncDispose]: async () => {
        await Promise.all(Object.values(processes).map((child) => child.stop()));
      },
    });
    const start = async (name: StackProcess, signal: AbortSignal) => {
      const context = { folder, ports, env, say, signal, watch };
      processes[name] = await startProcess(name, config, metricsPorts[name], context);
    };
    const demo = await withProgress('stack', say, async (report) => {
      report('setting up the stores, starting the worker, the renderer and the API');
      const failure = new AbortController();
      const either = AbortSignal.any([signal, failure.signal]);
      const demoContext = { file: folder.file('demo.json'), env, signal: either };
      // All processes, and the demo account, need the set-up to be done.
      await operate(Type.Unknown(), ['setup'], { env, signal: either });
      const prepared = prepareDemo(demoContext);
      const started = STACK_PROCESSES.map((name) => start(name, either));
      await allStarted([...started, prepared], () => failure.abort());
      return confirmDemo(await prepared, localBase(config.api), demoContext);
    });
    const described = describe(config, env, demo, temporalUi, metricsPorts);
    keep(publishStack(folder.file('stack.json'), described));
    const warnings = warningsFor(config, isPortGiven(caller));
    return { described, dataDir: folder.root, warnings, processes };
  });
}

/** Environment of all processes and commands. Settings of the caller take precedence. */
function serviceEnvironment(servers: Servers, caller: NodeJS.ProcessEnv, port: number): NodeJS.ProcessEnv {
  return {
    ...caller,
    ...servers.env,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    PUBLIC_URL: caller.PUBLIC_URL || `http://127.0.0.1:${port}/api`,
    API_PORT: String(port),
    // There is one worker.
    WORKER_QUEUES: 'all',
  };
}

/** The configured port, or the default, or that of the previous start, or any free port. */
function apiPort(ports: Ports, { host, port }: Config['api'], isGiven: boolean): Promise<number> {
  return isGiven && port !== 0 ? ports.take(port, host) : ports.choose('api', DEFAULT_API_PORT, host);
}

function warningsFor({ api, egress }: Config, isPortChosen: boolean): string[] {
  const allowed = egressWarning(egress.allowOrigins);
  const moved =
    `Port ${DEFAULT_API_PORT} is in use by another program, so the API listens on ${api.port}. Commands in README.md ` +
    `and docs/ that name port ${DEFAULT_API_PORT} reach the other program: use those below, or stop it and start again.`;
  return [
    ...(isPortChosen || api.port === DEFAULT_API_PORT ? [] : [moved]),
    ...(allowed === undefined ? [] : [allowed]),
  ];
}

function describe(
  { api, s3, temporal, mongo }: Config,
  env: NodeJS.ProcessEnv,
  demo: Demo,
  ui: string | undefined,
  metricsPorts: Record<StackProcess, number>,
): StackFile {
  const metricsOf = (name: StackProcess) => `http://${LOOPBACK}:${metricsPorts[name]}/metrics`;
  return {
    api_base: api.publicUrl,
    upload_url: s3.uploadUrl,
    demo_account_id: demo.account_id,
    demo_api_key: demo.api_key,
    temporal_address: temporal.address,
    temporal_ui: ui ?? null,
    mongodb_url: mongo.url,
    s3_endpoint: s3.endpoint,
    env: settingsOf(env),
    metrics: { api: metricsOf('api'), worker: metricsOf('worker'), renderer: metricsOf('renderer') },
  };
}

/** Writes the file for this user only, because of its keys. Disposing removes it. */
function publishStack(file: string, stack: StackFile): Disposable {
  // In one step, so that nobody reads half of it.
  writeFileSync(`${file}.new`, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}
