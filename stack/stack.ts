import { Type } from 'typebox';
import { loadConfig } from '../config.ts';
import { ensureDemo } from './demo.ts';
import type { Say } from './obtain/progress.ts';
import { operate } from './operator.ts';
import { localBase, startApi, startWorker } from './processes.ts';
import { together } from './run/together.ts';
import { type Servers, startServers } from './servers.ts';
import { settingsOf } from './settings.ts';
import { publishStack, type StackFile } from './stack-file.ts';

const USUAL_API_PORT = 8080;

type Options = { dataDir: string; env: NodeJS.ProcessEnv; say: Say; signal: AbortSignal };

/** Everything on this machine: the servers, a worker and the API. Disposing ends all of it. */
export type Stack = AsyncDisposable & { described: StackFile; dataDir: string };

/**
 * Starts the whole service and resolves once the API has answered a call with the demo key.
 * @throws {FolderInUseError} when it runs on this folder already; {ObtainError}; {ConfigError}
 */
export async function startStack({ dataDir, env: caller, say, signal }: Options): Promise<Stack> {
  const servers = await startServers({ dataDir, ephemeral: false, ui: true, say, signal, env: caller });
  try {
    const env = await serviceEnvironment(servers, caller);
    const { processes, described } = await startService(servers, env, say, signal);
    const file = publishStack(servers.folder.file('stack.json'), described);
    return {
      described,
      dataDir: servers.folder.root,
      [Symbol.asyncDispose]: async () => {
        file[Symbol.dispose]();
        await processes[Symbol.asyncDispose]();
        await servers[Symbol.asyncDispose]();
      },
    };
  } catch (cause) {
    await servers[Symbol.asyncDispose]();
    throw cause;
  }
}

async function startService(servers: Servers, env: NodeJS.ProcessEnv, say: Say, signal: AbortSignal) {
  const config = loadConfig(env);
  await operate(Type.Unknown(), ['setup'], { env, signal });
  const { folder, ports } = servers;
  const around = { folder, ports, env, say, signal };
  const processes = await together([startWorker(config, around), startApi(config, around)]);
  try {
    const demo = await ensureDemo({
      file: folder.file('demo.json'),
      base: localBase(config.api),
      env,
      signal,
    });
    const described: StackFile = {
      api_base: config.api.publicUrl,
      upload_url: config.s3.uploadUrl,
      demo_api_key: demo.api_key,
      temporal_address: config.temporal.address,
      temporal_ui: servers.temporalUi ?? null,
      mongodb_url: config.mongo.url,
      s3_endpoint: config.s3.endpoint,
      env: settingsOf(env),
    };
    return { processes, described };
  } catch (cause) {
    await processes[Symbol.asyncDispose]();
    throw cause;
  }
}

/** What the worker, the API and the operator's commands run with. What the caller has set stands. */
async function serviceEnvironment(servers: Servers, caller: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const port = Number(caller.API_PORT) || (await servers.ports.choose('api', USUAL_API_PORT));
  return {
    PUBLIC_URL: `http://127.0.0.1:${port}/api`,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...caller,
    ...servers.env,
    API_PORT: String(port),
  };
}
