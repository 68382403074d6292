import { Type } from 'typebox';
import { type Config, isPortGiven, loadConfig } from '../config.ts';
import { confirmDemo, type Demo, prepareDemo } from './demo.ts';
import { type Say, withProgress } from './obtain/progress.ts';
import { operate } from './operator.ts';
import { localBase, startApi, startRenderer, startWorker } from './processes.ts';
import type { Child } from './run/child.ts';
import { allStarted, opening } from './run/opening.ts';
import type { Surroundings } from './servers/part.ts';
import { type Servers, startServers } from './servers.ts';
import { settingsOf } from './settings.ts';
import { publishStack, type StackFile } from './stack-file.ts';

const USUAL_API_PORT = 8080;

type Options = { dataDir: string; env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal };

/** Everything on this machine: the servers, a worker, a renderer and the API. Disposing ends all of it. */
export type Stack = AsyncDisposable & {
  described: StackFile;
  dataDir: string;
  processes: Partial<Record<'api' | 'worker' | 'renderer', Child>>;
};

/**
 * Starts the whole service and resolves once the API has answered a call with the demo key.
 * @throws {FolderInUseError} when it runs on this folder already; {ObtainError}; {ConfigError}
 */
export async function startStack({ dataDir, env: caller, say, signal }: Options): Promise<Stack> {
  return opening(async (keep) => {
    const options = { dataDir, ephemeral: false, ui: true, say, signal, env: caller };
    const servers = keep(await startServers(options));
    const { folder, ports, temporalUi } = servers;
    const env = await serviceEnvironment(servers, caller);
    const config = loadConfig(env);
    const around = { folder, ports, env, say, signal };
    const processes: Stack['processes'] = {};
    keep({
      [Symbol.asyncDispose]: async () => {
        await Promise.all(Object.values(processes).map((child) => child.stop()));
      },
    });
    const demo = await withProgress('stack', say, async (report) => {
      report('setting up the stores, starting the worker, the renderer and the API');
      return startProcesses(processes, config, around);
    });
    const described = describe(config, env, demo.api_key, temporalUi);
    keep(publishStack(folder.file('stack.json'), described));
    return { described, dataDir: folder.root, processes };
  });
}

/** The worker bundles its workflows while the stores are set up; the API and the demo account need those. */
async function startProcesses(
  processes: Stack['processes'],
  config: Config,
  around: Surroundings,
): Promise<Demo> {
  const { env, signal, folder } = around;
  const context = { file: folder.file('demo.json'), env, signal };
  const setUp = operate(Type.Unknown(), ['setup'], { env, signal });
  const demo = setUp.then(() => prepareDemo(context));
  await allStarted([
    startWorker(config, around).then((child) => Object.assign(processes, { worker: child })),
    startRenderer(config, around).then((child) => Object.assign(processes, { renderer: child })),
    setUp.then(() => startApi(config, around)).then((child) => Object.assign(processes, { api: child })),
    demo,
  ]);
  return confirmDemo(await demo, localBase(config.api), context);
}

/** What the worker, the API and the operator's commands run with. What the caller has set stands. */
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

/** The port that is given, else the one of the start before, else the usual one, else any. */
function apiPort({ ports }: Servers, api: Config['api'], given: boolean): Promise<number> {
  return given && api.port !== 0 ? ports.take(api.port, api.host) : ports.choose('api', USUAL_API_PORT);
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
