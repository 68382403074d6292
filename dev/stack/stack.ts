import { Type } from 'typebox';
import { type Config, isPortGiven, loadConfig } from '../../config.ts';
import { withResources } from '../../runtime/resources.ts';
import { type Say, withProgress } from '../obtain/progress.ts';
import { allStarted } from '../process/all-started.ts';
import type { Child } from '../process/child.ts';
import type { ServerContext } from '../servers/context.ts';
import { type Servers, startServers } from '../servers/start.ts';
import { confirmDemo, type Demo, prepareDemo } from './demo.ts';
import { settingsOf } from './environment-settings.ts';
import { operate } from './operate.ts';
import { localBase, startApi, startRenderer, startWorker } from './service-processes.ts';
import { publishStack, type StackFile } from './stack-file.ts';

const DEFAULT_API_PORT = 8080;

type Options = { dataDir: string; env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal; watch?: boolean };

/** The whole service on this machine: servers, worker, renderer and API. Disposing stops all of it. */
export type Stack = AsyncDisposable & {
  described: StackFile;
  dataDir: string;
  processes: Partial<Record<'api' | 'worker' | 'renderer', Child>>;
};

/**
 * Starts the whole service and resolves once a call with the demo key has succeeded.
 * @throws {FolderInUseError} when it is already running on this folder
 * @throws {ObtainError} when a server cannot be obtained
 * @throws {ConfigError} when the environment is invalid
 */
export async function startStack({
  dataDir,
  env: caller,
  say,
  signal,
  watch = false,
}: Options): Promise<Stack> {
  return withResources(async (keep) => {
    const options = { dataDir, ephemeral: false, ui: true, say, signal, env: caller };
    const servers = keep(await startServers(options));
    const { folder, ports, temporalUi } = servers;
    const env = await serviceEnvironment(servers, caller);
    const config = loadConfig(env);
    const context = { folder, ports, env, say, signal, watch };
    const processes: Stack['processes'] = {};
    keep({
      [Symbol.asyncDispose]: async () => {
        await Promise.all(Object.values(processes).map((child) => child.stop()));
      },
    });
    const demo = await withProgress('stack', say, async (report) => {
      report('setting up the stores, starting the worker, the renderer and the API');
      return startProcesses(processes, config, context);
    });
    const described = describe(config, env, demo.api_key, temporalUi);
    keep(publishStack(folder.file('stack.json'), described));
    return { described, dataDir: folder.root, processes };
  });
}

/** Worker and renderer start during the set-up; the API and the demo account need it to be done. */
async function startProcesses(
  processes: Stack['processes'],
  config: Config,
  context: ServerContext,
): Promise<Demo> {
  const { env, signal, folder } = context;
  const demoContext = { file: folder.file('demo.json'), env, signal };
  const setupDone = operate(Type.Unknown(), ['setup'], { env, signal });
  const demo = setupDone.then(() => prepareDemo(demoContext));
  await allStarted([
    startWorker(config, context).then((child) => Object.assign(processes, { worker: child })),
    startRenderer(config, context).then((child) => Object.assign(processes, { renderer: child })),
    setupDone.then(() => startApi(config, context)).then((child) => Object.assign(processes, { api: child })),
    demo,
  ]);
  return confirmDemo(await demo, localBase(config.api), demoContext);
}

/** Environment of the worker, the API and the operator's commands. Settings of the caller take precedence. */
async function serviceEnvironment(servers: Servers, caller: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const env = { ...caller, ...servers.env };
  const port = await apiPort(servers, loadConfig(env).api, isPortGiven(caller));
  return {
    ...env,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    PUBLIC_URL: caller.PUBLIC_URL || `http://127.0.0.1:${port}/api`,
    API_PORT: String(port),
  };
}

/** The configured port, else the port of the previous start, else the default, else any free one. */
function apiPort({ ports }: Servers, api: Config['api'], given: boolean): Promise<number> {
  return given && api.port !== 0 ? ports.take(api.port, api.host) : ports.choose('api', DEFAULT_API_PORT);
}

function describe(
  config: Config,
  env: NodeJS.ProcessEnv,
  demoKey: string,
  ui: string | undefined,
): StackFile {
  return {
    api_base: config.api.publicUrl,
    upload_url: config.s3.uploadUrl,
    demo_api_key: demoKey,
    temporal_address: config.temporal.address,
    temporal_ui: ui ?? null,
    mongodb_url: config.mongo.url,
    s3_endpoint: config.s3.endpoint,
    env: settingsOf(env),
  };
}
