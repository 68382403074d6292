import { withResources } from '../../lib/process/resources.ts';
import { obtainBinaries } from '../obtain/binaries.ts';
import { type Say, withProgress } from '../obtain/progress.ts';
import type { ServerName } from '../obtain/versions.ts';
import { allStarted } from '../process/all-started.ts';
import type { Child } from '../process/child.ts';
import { type DataFolder, openDataFolder, openTemporaryFolder } from '../process/data-folder.ts';
import { requireSpace } from '../process/disk-space.ts';
import { type Ports, rememberedPorts } from '../process/tcp-ports.ts';
import { settingsOf } from '../stack/environment-settings.ts';
import type { ServerContext } from './context.ts';
import { missingServers, withoutRemote } from './missing.ts';
import { startMongod } from './mongod.ts';
import { startTemporal } from './temporal.ts';
import { startVersitygw } from './versitygw.ts';

export type ServersOptions = {
  /** Folder for data, logs and remembered ports. */
  dataDir: string;
  /**
   * Use a fresh folder below `dataDir` and delete it at the end; several processes may do so at
   * once.
   */
  ephemeral: boolean;
  /** Whether to start the Temporal UI as well. */
  ui: boolean;
  say: Say;
  signal: AbortSignal;
  /** The caller's environment. A server whose address it contains is used and not started. */
  env: NodeJS.ProcessEnv;
  /** Runs before the first server starts, so that what it throws is seen at once. */
  beforeStart?: (ports: Ports) => Promise<void>;
};

/** Space for the journals and logs of new servers, with some room. */
const NEEDED_MB = 500;

/**
 * The running servers. Disposing stops those that were started; data is kept unless `ephemeral`.
 */
export type Servers = AsyncDisposable & {
  /**
   * What `loadConfig` requires: their addresses, and a public URL for an API on the default port.
   */
  env: Record<string, string>;
  temporalUi: string | undefined;
  /** The servers that were started here. */
  children: Partial<Record<ServerName, Child>>;
  folder: DataFolder;
  ports: Ports;
};

/**
 * Obtains the servers and starts them concurrently.
 * @throws {FolderInUseError} when another process is running on `dataDir`
 * @throws {DiskFullError}
 * @throws {ObtainError} when a server cannot be obtained
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { dataDir, ephemeral, say, env, beforeStart = async () => {} } = options;
  return withResources(async (keep) => {
    const folder = keep(await (ephemeral ? openTemporaryFolder : openDataFolder)(dataDir, say));
    requireSpace(folder.root, NEEDED_MB);
    const ports = keep(rememberedPorts(folder.file('ports.json')));
    await beforeStart(ports);
    const failure = new AbortController();
    const signal = AbortSignal.any([options.signal, failure.signal]);
    const children: Servers['children'] = {};
    keep({
      [Symbol.asyncDispose]: async () => {
        await Promise.all(Object.values(children).map((child) => child.stop()));
      },
    });
    const context = { folder, ports, env, say, signal };
    const started = await startMissing(children, context, options.ui, () => failure.abort());
    return {
      env: withDefaults({ ...settingsOf(env), ...started.env }),
      temporalUi: started.temporalUi,
      children,
      folder,
      ports,
    };
  });
}

export function withDefaults(env: Record<string, string>): Record<string, string> {
  const { S3_ENDPOINT = '', S3_RESULTS_BUCKET = 'results' } = env;
  const uploadUrl = `${S3_ENDPOINT.replace(/\/$/, '')}/${S3_RESULTS_BUCKET}`;
  return { GENERATORS: 'preview', PUBLIC_URL: 'http://127.0.0.1:8080/api', UPLOAD_URL: uploadUrl, ...env };
}

type Started = { env: Record<string, string>; temporalUi: string | undefined };

async function startMissing(
  children: Servers['children'],
  context: ServerContext,
  ui: boolean,
  giveUp: () => void,
): Promise<Started> {
  const names = missingServers(context.env);
  const binaries = await obtainBinaries(names, context);
  const started: Started = { env: {}, temporalUi: undefined };
  Object.assign(started.env, ...names.map(withoutRemote));
  const start: Record<ServerName, (binary: string) => Promise<void>> = {
    temporal: async (binary) => {
      const { child, address, ui: page } = await startTemporal(binary, ui, context);
      children.temporal = child;
      started.env.TEMPORAL_ADDRESS = address;
      started.temporalUi = page;
    },
    mongod: async (binary) => {
      const { child, url } = await startMongod(binary, context);
      children.mongod = child;
      started.env.MONGODB_URL = url;
    },
    versitygw: async (binary) => {
      const gateway = await startVersitygw(binary, context);
      children.versitygw = gateway.child;
      started.env.S3_ENDPOINT = gateway.endpoint;
      started.env.S3_ACCESS_KEY_ID = gateway.accessKeyId;
      started.env.S3_SECRET_ACCESS_KEY = gateway.secretAccessKey;
    },
  };
  await allStarted(
    names.map((name) =>
      withProgress(name, context.say, (report) => {
        report('starting');
        return start[name](binaries[name]);
      }),
    ),
    giveUp,
  );
  return started;
}
