import { obtainBinaries } from './obtain/binaries.ts';
import { type Say, withProgress } from './obtain/progress.ts';
import type { Child } from './run/child.ts';
import { type DataFolder, openDataFolder, openPassingFolder } from './run/data-folder.ts';
import { allStarted, opening } from './run/opening.ts';
import { type Ports, rememberedPorts } from './run/ports.ts';
import { startMongod } from './servers/mongod.ts';
import type { Surroundings } from './servers/part.ts';
import { startTemporal } from './servers/temporal.ts';
import { startVersitygw } from './servers/versitygw.ts';
import { settingsOf } from './settings.ts';
import type { ServerName } from './versions.ts';

export type ServersOptions = {
  /** Where data, logs and remembered ports live. */
  dataDir: string;
  /** A fresh folder below `dataDir` that is removed at the end; several processes may do so at once. */
  ephemeral: boolean;
  /** Whether Temporal's web interface runs as well. */
  ui: boolean;
  say: Say;
  signal: AbortSignal;
  /** The caller's environment: a server whose address it holds is used as it is and not started. */
  env: NodeJS.ProcessEnv;
};

/** The running servers. Disposing ends what was started; data of a lasting folder stays. */
export type Servers = AsyncDisposable & {
  /** What `loadConfig` needs to reach them. */
  env: Record<string, string>;
  temporalUi: string | undefined;
  /** Handles of those that were started here. */
  children: Partial<Record<ServerName, Child>>;
  folder: DataFolder;
  ports: Ports;
};

/** The variable whose presence says that the caller runs the server himself. */
const givenBy: Record<ServerName, string> = {
  temporal: 'TEMPORAL_ADDRESS',
  mongod: 'MONGODB_URL',
  versitygw: 'S3_ENDPOINT',
};

/**
 * Obtains the servers and starts them side by side.
 * @throws {FolderInUseError} when another process runs on `dataDir`
 * @throws {ObtainError} when a server is to be had in no way
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { dataDir, ephemeral, say, signal, env } = options;
  return opening(async (keep) => {
    const folder = keep(await (ephemeral ? openPassingFolder : openDataFolder)(dataDir, say));
    const ports = keep(rememberedPorts(folder.file('ports.json')));
    const children: Servers['children'] = {};
    keep({
      [Symbol.asyncDispose]: async () => {
        await Promise.all(Object.values(children).map((child) => child.stop()));
      },
    });
    const parts = await startMissing(children, { folder, ports, env, say, signal }, options.ui);
    return {
      env: { ...settingsOf(env), ...parts.env },
      temporalUi: parts.temporalUi,
      children,
      folder,
      ports,
    };
  });
}

/** How a Temporal elsewhere is reached; the one that is started here is reached on loopback, without any of it. */
const elsewhere = [
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_CA_FILE',
  'TEMPORAL_TLS_CERT_FILE',
  'TEMPORAL_TLS_KEY_FILE',
  'TEMPORAL_TLS_SERVER_NAME',
];

type Parts = { env: Record<string, string>; temporalUi: string | undefined };

async function startMissing(
  children: Servers['children'],
  around: Surroundings,
  ui: boolean,
): Promise<Parts> {
  const names = (Object.keys(givenBy) as ServerName[]).filter((name) => !around.env[givenBy[name]]);
  const binaries = await obtainBinaries(names, around);
  const parts: Parts = { env: {}, temporalUi: undefined };
  const start: Record<ServerName, (binary: string) => Promise<void>> = {
    temporal: async (binary) => {
      const { child, address, ui: page } = await startTemporal(binary, ui, around);
      children.temporal = child;
      for (const name of elsewhere) parts.env[name] = '';
      parts.env.TEMPORAL_ADDRESS = address;
      parts.temporalUi = page;
    },
    mongod: async (binary) => {
      const { child, url } = await startMongod(binary, around);
      children.mongod = child;
      parts.env.MONGODB_URL = url;
    },
    versitygw: async (binary) => {
      const started = await startVersitygw(binary, around);
      children.versitygw = started.child;
      parts.env.S3_ENDPOINT = started.endpoint;
      parts.env.S3_ACCESS_KEY_ID = started.accessKeyId;
      parts.env.S3_SECRET_ACCESS_KEY = started.secretAccessKey;
      const results = `${started.endpoint}/${around.env.S3_RESULTS_BUCKET || 'results'}`;
      parts.env.UPLOAD_URL = around.env.UPLOAD_URL || results;
    },
  };
  await allStarted(
    names.map((name) =>
      withProgress(name, around.say, (report) => {
        report('starting');
        return start[name](binaries[name]);
      }),
    ),
  );
  return parts;
}
